// SPDX-License-Identifier: Apache-2.0
// The least-squares fit of rates, for given stamps.
#pragma once
#include <cstdint>
#include <functional>
#include <span>

#include "bench/phases/normal_matrix.h"
#include "bench/phases/samples.h"

namespace culprit {

struct RateModel {
  const Layout& layout;
  std::span<const ClassLaunch> launches;
  std::size_t classes;
  const UsableSamples& samples;
  double offset_ns, jitter_ns;
  Background background;
  bool is_sparse;  // few pairs of groups ever share a sample

  Sweep Start(bool slopes = false) const {
    return {layout, launches, classes, samples.origin_ns, offset_ns, jitter_ns, background, slopes};
  }
};

struct RateFit {
  NormalMatrix matrix;
  Rows right, unknowns;  // unknowns x counters
  Eigen::RowVectorXd squares;
  // The sum of squares of what is left, by counter.
  Eigen::RowVectorXd Residual() const { return squares - right.cwiseProduct(unknowns).colwise().sum(); }
};

// `used`: indices of samples. `look` sees every row.
RateFit FitRates(const RateModel& model, std::span<const std::uint32_t> used,
                 const std::function<void(const ModelRow&)>& look = {});

}  // namespace culprit
