// SPDX-License-Identifier: Apache-2.0
#include "analysis/causes/per_ffma.h"

#include <fmt/core.h>

#include "analysis/render/format.h"

namespace culprit {

// One in ten instructions: a kernel with fewer is about something else.
constexpr double kLeastFfmaShare = 0.10;

std::optional<double> PerFfma(const KernelView& k, double count) {
  const Measured ffma = k.Get("ffma_thread_inst") / Measured(32), share = ffma / k.Get("inst_executed");
  if (!share || *share < kLeastFfmaShare) return std::nullopt;
  return (Measured(count) / ffma).value();
}

std::string PerFfmaClause(const KernelView& k, double count) {
  const auto ratio = PerFfma(k, count);
  if (!ratio) return "";
  std::string clause = fmt::format(", {} for every FFMA instruction", Format(*ratio, Unit::kRatio));
  if (const Measured pace = Measured(32) / k.Get("fp32_lanes_per_sm"); pace && *ratio > *pace)
    clause += fmt::format(" where {} would keep pace with the FFMA lanes", Format(*pace, Unit::kRatio));
  return clause;
}

}  // namespace culprit
