// SPDX-License-Identifier: Apache-2.0
// A benchmark of your own. Record and read: saxpy_bench --profile=core --db my.db && culprit show saxpy --db my.db
#include <cmath>

#include "bench/workload.h"

extern "C" __global__ void saxpy(int n, float a, const float* x, const float* y, float* z) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = a * x[i] + y[i];
}

culprit::Workload MakeSaxpy(int n) {
  static float* gpu;  // x, y, z one after the other; all sizes share it, because one workload runs at a time
  static std::vector<float> host;  // x and y
  culprit::Workload work{.id = "saxpy", .shape = std::to_string(n), .flop = 2.0 * n, .min_bytes = 12.0 * n};
  work.set_up = [n] {
    if (std::ssize(host) == 2 * n) return;
    host.resize(2 * n);
    for (int i = 0; i < 2 * n; ++i) host[i] = std::sin(static_cast<float>(i));
    cudaFree(gpu);
    cudaMalloc(&gpu, 3 * n * sizeof(float));
    cudaMemcpy(gpu, host.data(), 2 * n * sizeof(float), cudaMemcpyHostToDevice);
  };
  work.launch = [n](cudaStream_t s) { saxpy<<<(n + 255) / 256, 256, 0, s>>>(n, 2, gpu, gpu + n, gpu + 2 * n); };
  work.verify = [n, launch = work.launch]() -> culprit::VerifyResult {
    std::vector<float> out(n, NAN);
    cudaMemset(gpu + 2 * n, 0xff, n * sizeof(float));  // NaN, so that a skipped element cannot be correct by chance
    launch(nullptr);
    cudaMemcpy(out.data(), gpu + 2 * n, n * sizeof(float), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; ++i)  // 2 x is exact, so both sides round once and must be identical
      if (out[i] != 2 * host[i] + host[n + i]) return {false, INFINITY, "host", "wrong at " + std::to_string(i)};
    return {true, 0, "host", ""};
  };
  return work;
}

int main(int argc, char** argv) {
  const auto make = [](const culprit::BenchOptions&) { return std::vector{MakeSaxpy(1 << 20), MakeSaxpy(1 << 26)}; };
  return culprit::BenchMain(argc, argv, make);
}
