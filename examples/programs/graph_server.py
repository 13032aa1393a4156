# SPDX-License-Identifier: Apache-2.0
# Stands for an inference server: replays a CUDA graph for each request until SIGTERM or Ctrl-C, for culprit record:
#   culprit record --profile none    --capture delay:5,duration:5 --leave-running -- python3 graph_server.py
#   culprit record --profile sampled --capture delay:5,duration:5                 -- python3 graph_server.py
#   culprit record --profile none    --capture nvtx:decode                        -- python3 graph_server.py --requests 500
import argparse
import signal
import time

import cupy

parser = argparse.ArgumentParser()
parser.add_argument("--requests", type=int, default=0, help="end after so many requests; 0: never (default)")
parser.add_argument("--pause", type=float, default=0.001, help="seconds between two requests (default: 0.001)")
arguments = parser.parse_args()

told_to_end = False


def end(_signal, _frame):
    global told_to_end
    told_to_end = True


for name in (signal.SIGTERM, signal.SIGINT):
    signal.signal(name, end)

scale = cupy.RawKernel(
    r"""
extern "C" __global__ void scale(float* values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] = values[i] * 0.999f + 0.5f;
}
""",
    "scale",
    options=("-lineinfo",),
)
n = 1 << 22
values = cupy.zeros(n, dtype=cupy.float32)
layers = 8
stream = cupy.cuda.Stream(non_blocking=True)
scale((n // 256,), (256,), (values, cupy.int32(n)))  # compiles it before the capture
with stream:
    stream.begin_capture()
    for _ in range(layers):
        scale((n // 256,), (256,), (values, cupy.int32(n)))
    graph = stream.end_capture()

requests = 0
print("serving", flush=True)
while not told_to_end and (arguments.requests == 0 or requests < arguments.requests):
    with stream:
        cupy.cuda.nvtx.RangePush("prefill")
        scale((n // 256,), (256,), (values, cupy.int32(n)))
        cupy.cuda.nvtx.RangePop()
        cupy.cuda.nvtx.RangePush("decode")
        graph.launch(stream)
        cupy.cuda.nvtx.RangePop()
    stream.synchronize()
    requests += 1
    time.sleep(arguments.pause)
print(f"served {requests} requests", flush=True)
