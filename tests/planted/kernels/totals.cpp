// SPDX-License-Identifier: Apache-2.0
#include "tests/planted/kernels/totals.h"

#include <fmt/core.h>

#include <cmath>
#include <vector>

#include "tests/planted/kernels/run.h"

namespace culprit {
namespace {

template <class Total>
PlantedCheck Check(const PlantedRun& run, Total* totals, std::size_t copies, std::span<const double> wanted) {
  std::vector<Total> got(copies * wanted.size());
  const std::size_t bytes = got.size() * sizeof(Total);
  Succeed(cudaMemset(totals, 0, bytes), "zero the totals");
  run.launch(nullptr);
  Succeed(cudaDeviceSynchronize(), "run the kernel");
  Succeed(cudaMemcpy(got.data(), totals, bytes, cudaMemcpyDeviceToHost), "copy the totals back");
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    double sum = 0;
    for (std::size_t copy = 0; copy < copies; ++copy) sum += got[copy * wanted.size() + i];
    if (sum == wanted[i]) continue;
    return {INFINITY, fmt::format("total {} is {}, wanted {} exactly", i, sum, wanted[i])};
  }
  return {};
}

}  // namespace

PlantedCheck CheckTotals(const PlantedRun& run, unsigned* totals, std::size_t copies, std::span<const double> wanted) {
  return Check(run, totals, copies, wanted);
}

PlantedCheck CheckTotals(const PlantedRun& run, float* totals, std::size_t copies, std::span<const double> wanted) {
  return Check(run, totals, copies, wanted);
}

}  // namespace culprit
