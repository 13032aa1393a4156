# SPDX-License-Identifier: Apache-2.0
# A transposition through a tile in shared memory, compiled while the program runs, for culprit record:
#   culprit record --profile full --label padded   -- python3 transpose.py
#   culprit record --profile full --label unpadded -- python3 transpose.py --unpadded
# Without the padding the 32 threads of a warp read one bank.
import argparse

import cupy

parser = argparse.ArgumentParser()
parser.add_argument("--unpadded", action="store_true", help="rows of the tile are 32 words long, not 33")
arguments = parser.parse_args()

transpose = cupy.RawKernel(
    r"""
extern "C" __global__ void transpose_tile(const float* from, float* to, int n) {
  __shared__ float tile[32][WIDTH];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = from[y * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  to[y * n + x] = tile[threadIdx.x][threadIdx.y];
}
""",
    "transpose_tile",
    options=("-DWIDTH=32" if arguments.unpadded else "-DWIDTH=33", "-lineinfo"),
)
n = 4096
matrix = cupy.random.rand(n, n, dtype=cupy.float32)
result = cupy.empty_like(matrix)
for _ in range(50):
    transpose((n // 32, n // 32), (32, 32), (matrix, result, cupy.int32(n)))
print("right" if bool((result == matrix.T).all()) else "wrong")
