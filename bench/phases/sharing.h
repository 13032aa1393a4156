// SPDX-License-Identifier: Apache-2.0
// Shares each sample's values out among the groups that ran in it, in proportion to the fit.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "bench/phases/rates.h"

namespace culprit {

// Fitted samples are put into this many clusters, by short runs of neighbours, whose noise may depend on each other.
inline constexpr std::size_t kClusters = 24;

struct SharedOut {
  Eigen::RowVectorXd total, unassigned;  // by counter
  Rows given;                            // groups x counters: the sums of the shares
  Rows fitted;                           // the sums of what the fit predicted, where it is positive
  std::vector<double> launches;          // by group, within samples
  double busy_ns = 0;                    // the sum of all launches' times within samples
  // By unknown: the sum of its shares in samples that others share, where its error matters.
  Eigen::VectorXd mixed;

  // From the samples that were fitted only:
  std::vector<double> touched;  // by group: samples that it shares
  Eigen::RowVectorXd noise;     // sum of squared residuals of shared samples
  double noise_samples = 0;
  // The residuals' part in each group's sum, squared: of samples that it had alone, and of samples that it shared,
  // where the residual may belong to it or to the others. Scaled to all samples.
  Rows alone, shared;
  // By cluster, unknowns x counters: the sum of each unknown's share x residual.
  std::array<Rows, kClusters> scores;
};

// `fitted`: those of model.samples.used that were fitted, in the same order. `draws`: unknowns x draws, from
// RateFit::matrix, to find the samples that decide a part of the fit; none if there are so many samples that none does.
SharedOut ShareOut(const RateModel& model, const Rows& unknowns, std::span<const std::uint32_t> fitted,
                   const Rows& draws);

}  // namespace culprit
