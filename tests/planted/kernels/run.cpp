// SPDX-License-Identifier: Apache-2.0
#include "tests/planted/kernels/run.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "db/error.h"
#include "kernels/uniform.h"

namespace culprit {
namespace {

std::vector<float> Outputs(const PlantedRun& run, float* out, std::size_t count) {
  constexpr int kEveryByteOfNan = 0xff;
  Succeed(cudaMemset(out, kEveryByteOfNan, count * sizeof(float)), "poison the output");
  run.launch(nullptr);
  Succeed(cudaDeviceSynchronize(), "run the kernel");
  std::vector<float> got(count);
  Succeed(cudaMemcpy(got.data(), out, count * sizeof(float), cudaMemcpyDeviceToHost), "copy the output back");
  return got;
}

void Compare(PlantedCheck& check, std::size_t i, double got, double wanted, double allowed) {
  const double error = std::abs(got - wanted);
  // An infinite bound must not let an infinite result pass, which is no farther from `wanted` than it allows.
  if (std::isfinite(got) && error <= allowed) {
    if (allowed > 0) check.error_over_bound = std::max(check.error_over_bound, error / allowed);
    return;
  }
  check.error_over_bound = std::isfinite(error) && allowed > 0 ? error / allowed : INFINITY;
  check.message = fmt::format("element {} is {}, wanted {}, allowed error {}", i, got, wanted, allowed);
}

}  // namespace

void Succeed(cudaError_t status, const char* doing) {
  if (status != cudaSuccess)
    throw Error(fmt::format("cannot {}: {}; run it under compute-sanitizer to find out where", doing,
                            cudaGetErrorString(status)));
}

std::vector<float> UniformFloats(std::size_t count, std::uint64_t seed) {
  std::vector<float> values(count);
  FillUniform(values, seed);
  return values;
}

std::vector<float> Transposed(const std::vector<float>& matrix, std::size_t rows, std::size_t columns) {
  std::vector<float> turned(matrix.size());
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) turned[j * rows + i] = matrix[i * columns + j];
  return turned;
}

std::vector<std::size_t> SpreadIndices(std::size_t count, std::size_t samples) {
  samples = std::min(samples, count);
  std::vector<std::size_t> where(samples);
  for (std::size_t i = 0; i < samples; ++i) where[i] = samples == 1 ? 0 : i * (count - 1) / (samples - 1);
  return where;
}

PlantedCheck CheckFloats(const PlantedRun& run, float* out, std::span<const double> wanted,
                         std::span<const double> bound) {
  PlantedCheck check;
  const std::vector<float> got = Outputs(run, out, wanted.size());
  for (std::size_t i = 0; i < got.size() && check.message.empty(); ++i)
    Compare(check, i, got[i], wanted[i], bound.empty() ? 0 : bound[i]);
  return check;
}

PlantedCheck CheckFloatsAt(const PlantedRun& run, float* out, std::size_t count, std::span<const std::size_t> where,
                           std::span<const double> wanted, std::span<const double> bound) {
  PlantedCheck check;
  const std::vector<float> got = Outputs(run, out, count);
  for (std::size_t i = 0; i < where.size() && check.message.empty(); ++i)
    Compare(check, where[i], got[where[i]], wanted[i], bound.empty() ? 0 : bound[i]);
  for (std::size_t i = 0; i < count && check.message.empty(); ++i)
    if (!std::isfinite(got[i])) {
      check.error_over_bound = INFINITY;
      check.message = fmt::format("element {} is {}, wanted a finite number", i, got[i]);
    }
  return check;
}

}  // namespace culprit
