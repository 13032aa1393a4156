# SPDX-License-Identifier: Apache-2.0
# A training loop of four feed-forward blocks, for culprit record:
#   culprit record --label before -- python3 train_step.py
#   culprit record --label after  -- python3 train_step.py --contiguous
# Both compute the same. The second lays the activations out anew, twice in each block.
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--contiguous", action="store_true", help="copy activations to another layout and back")
parser.add_argument("--steps", type=int, default=100)
arguments = parser.parse_args()


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.widen = nn.Linear(width, 4 * width)
        self.narrow = nn.Linear(4 * width, width)

    def forward(self, x):
        h = self.norm(x)
        if arguments.contiguous:
            h = h.transpose(0, 1).contiguous().transpose(0, 1).contiguous()
        return x + self.narrow(nn.functional.gelu(self.widen(h)))


torch.manual_seed(0)
width = 1024
model = nn.Sequential(*[Block(width) for _ in range(4)]).cuda().bfloat16()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
x = torch.randn(64, 128, width, device="cuda", dtype=torch.bfloat16)
for step in range(arguments.steps):
    optimizer.zero_grad()
    loss = model(x).float().square().mean()
    loss.backward()
    optimizer.step()
print(f"loss after {arguments.steps} steps: {loss.item():.6f}")
