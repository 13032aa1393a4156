// SPDX-License-Identifier: Apache-2.0
#include "tests/noise/kernels/run.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

namespace culprit {

int SmCount() {
  int device = 0, count = 0;
  Succeed(cudaGetDevice(&device), "find the device");
  Succeed(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device), "count SMs");
  return count;
}

void FillBytes(void* device, int byte, std::size_t bytes) {
  Succeed(cudaMemset(device, byte, bytes), "fill a buffer");
  Succeed(cudaDeviceSynchronize(), "fill a buffer");
}

std::vector<unsigned> Downloaded(const unsigned* device, std::size_t count) {
  Succeed(cudaDeviceSynchronize(), "run the kernel");
  std::vector<unsigned> values(count);
  Succeed(cudaMemcpy(values.data(), device, count * sizeof(unsigned), cudaMemcpyDeviceToHost), "copy the output back");
  return values;
}

PlantedCheck CheckEqual(const std::vector<unsigned>& got, const std::vector<unsigned>& wanted) {
  const auto [different, expected] = std::mismatch(got.begin(), got.end(), wanted.begin(), wanted.end());
  if (different == got.end() && expected == wanted.end()) return {};
  return {std::numeric_limits<double>::infinity(),
          different == got.end() || expected == wanted.end()
              ? fmt::format("{} elements, wanted {}", got.size(), wanted.size())
              : fmt::format("element {} is {}, wanted {}", different - got.begin(), *different, *expected)};
}

}  // namespace culprit
