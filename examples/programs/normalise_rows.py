# SPDX-License-Identifier: Apache-2.0
# Two Triton kernels that normalise the rows of a matrix and add them up, for culprit record:
#   culprit record --label before -- python3 normalise_rows.py
#   culprit record --label after  -- python3 normalise_rows.py --block 256
# Both compute the same. The second goes through each row in smaller pieces.
import argparse

import torch
import triton
import triton.language as tl

parser = argparse.ArgumentParser()
parser.add_argument("--block", type=int, default=4096, help="elements of a row that are read at once")
parser.add_argument("--steps", type=int, default=2000)
arguments = parser.parse_args()


@triton.jit
def normalise(values, result, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for first in range(0, columns, BLOCK):
        at = first + tl.arange(0, BLOCK)
        x = tl.load(values + row * columns + at, mask=at < columns, other=0.0)
        squares += x * x
    scale = 1.0 / tl.sqrt(tl.sum(squares) / columns + 1e-6)
    for first in range(0, columns, BLOCK):
        at = first + tl.arange(0, BLOCK)
        x = tl.load(values + row * columns + at, mask=at < columns, other=0.0)
        tl.store(result + row * columns + at, x * scale, mask=at < columns)


@triton.jit
def add_squares(values, sums, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for first in range(0, columns, BLOCK):
        at = first + tl.arange(0, BLOCK)
        x = tl.load(values + row * columns + at, mask=at < columns, other=0.0)
        squares += x * x
    tl.store(sums + row, tl.sum(squares))


rows, columns = 8192, 4096
torch.manual_seed(0)
values = torch.randn(rows, columns, device="cuda")
result = torch.empty_like(values)
sums = torch.empty(rows, device="cuda")
for _ in range(arguments.steps):
    normalise[(rows,)](values, result, columns, BLOCK=arguments.block)
    add_squares[(rows,)](result, sums, columns, BLOCK=arguments.block)
wrong = int(((sums / columns - 1).abs() > 1e-3).sum())
print(f"{arguments.steps} steps, {wrong} of {rows} rows wrong")
