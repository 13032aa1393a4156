// SPDX-License-Identifier: Apache-2.0
#include "kernels/planted/run.h"

#include <fmt/core.h>

#include <cmath>

#include "db/error.h"
#include "kernels/uniform.h"

namespace culprit {
namespace {

void Succeed(cudaError_t status, const char* doing) {
  if (status != cudaSuccess)
    throw Error(fmt::format("cannot {}: {}; run it under compute-sanitizer to find out where", doing,
                            cudaGetErrorString(status)));
}

}  // namespace

std::vector<float> UniformFloats(std::size_t count, std::uint64_t seed) {
  std::vector<float> values(count);
  FillUniform(values, seed);
  return values;
}

PlantedCheck CheckFloats(const PlantedRun& run, float* out, std::span<const double> wanted,
                         std::span<const double> bound) {
  constexpr int kEveryByteOfNan = 0xff;
  Succeed(cudaMemset(out, kEveryByteOfNan, wanted.size() * sizeof(float)), "poison the output");
  run.launch(nullptr);
  Succeed(cudaDeviceSynchronize(), "run the kernel");
  std::vector<float> got(wanted.size());
  Succeed(cudaMemcpy(got.data(), out, got.size() * sizeof(float), cudaMemcpyDeviceToHost), "copy the output back");
  PlantedCheck check;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double allowed = bound.empty() ? 0 : bound[i];
    const double error = std::abs(got[i] - wanted[i]);
    // Also false for NaN.
    if (error <= allowed) {
      if (allowed > 0) check.error_over_bound = std::max(check.error_over_bound, error / allowed);
      continue;
    }
    check.error_over_bound = std::isfinite(error) && allowed > 0 ? error / allowed : INFINITY;
    check.message = fmt::format("element {} is {}, wanted {}, allowed error {}", i, got[i], wanted[i], allowed);
    return check;
  }
  return check;
}

}  // namespace culprit
