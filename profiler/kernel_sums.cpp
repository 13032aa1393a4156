// SPDX-License-Identifier: Apache-2.0
#include "profiler/kernel_sums.h"

#include <cmath>
#include <numeric>

namespace culprit {
namespace {

std::optional<double> Finite(double value) { return std::isfinite(value) ? std::optional(value) : std::nullopt; }

}  // namespace

std::string_view WeightOf(std::string_view metric) {
  if (metric.ends_with(".pct_of_peak_sustained_elapsed")) return kElapsedCycles;
  if (metric.ends_with(".pct_of_peak_sustained_active")) return kActiveCycles;
  if (metric.ends_with(".ratio")) return kInstructions;
  return {};
}

std::optional<double> SumOverKernels(std::span<const double> values) {
  return Finite(std::accumulate(values.begin(), values.end(), 0.0));
}

std::optional<double> MeanOverKernels(std::span<const double> values, std::span<const double> weights) {
  if (values.size() == 1) return Finite(values.front());
  if (weights.size() != values.size()) return std::nullopt;
  return Finite(std::inner_product(values.begin(), values.end(), weights.begin(), 0.0) /
                std::accumulate(weights.begin(), weights.end(), 0.0));
}

}  // namespace culprit
