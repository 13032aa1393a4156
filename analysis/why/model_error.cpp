// SPDX-License-Identifier: Apache-2.0
#include "analysis/why/model_error.h"

#include <algorithm>
#include <cmath>

namespace culprit {
namespace {

constexpr ModelError kModelErrors[] = {
#include "analysis/why/model_error.inc"
};

// From the 2.5th and 97.5th percentile of a normal distribution to the 5th and the 95th.
constexpr double k90Of95 = 1.645 / 1.960;

}  // namespace

std::span<const ModelError> ModelErrors() { return kModelErrors; }

const ModelError& RowOf(std::span<const ModelError> errors, double share) {
  const auto next = std::ranges::upper_bound(errors.subspan(1), std::abs(share), {}, &ModelError::from);
  return *std::prev(next);
}

Scatter IntervalOf(double part_us, double delta_us, const Scatter& scatter) {
  const double model_us = RowOf(kModelErrors, part_us / delta_us).half_width * std::abs(delta_us);
  return {part_us - std::hypot(model_us, k90Of95 * (part_us - scatter.low)),
          part_us + std::hypot(model_us, k90Of95 * (scatter.high - part_us))};
}

}  // namespace culprit
