// SPDX-License-Identifier: Apache-2.0
// The benchmark in docs/your-kernel.md.
#include "bench/workload.h"

__global__ void RowSums(const float* in, float* out, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int i = 0; row < rows && i < columns; ++i) sum += in[row * columns + i];
  if (row < rows) out[row] = sum;
}

int main(int argc, char** argv) {
  constexpr int kRows = 1 << 16, kColumns = 1024;
  float *in = nullptr, *out = nullptr;
  const auto set_up = [&] {
    if (in == nullptr) cudaMalloc(&in, sizeof(float) * kRows * kColumns), cudaMalloc(&out, sizeof(float) * kRows);
  };
  const auto launch = [&](cudaStream_t s) { RowSums<<<kRows / 256, 256, 0, s>>>(in, out, kRows, kColumns); };
  return culprit::BenchMain(argc, argv,
                            {{.id = "row_sums", .shape = "65536x1024", .set_up = set_up, .launch = launch}});
}
