// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/causes/swap_demand.h"

#include <algorithm>
#include <cmath>

namespace culprit {
namespace {

// Fewer samples of loads tell no share of them.
constexpr double kLeastLoadSamples = 50;
// Standard errors on each side.
constexpr double kNineOfTen = 1.645;

Range Within(double share, double samples) {
  const double error = kNineOfTen * std::sqrt(std::max(share * (1 - share), 1 / samples) / samples);
  return {std::max(0.0, share - error), std::min(1.0, share + error)};
}

}  // namespace

std::optional<SwapDemand> SwapDemandOf(const KernelView& k) {
  if (const Measured atomics = k.Get("shared_atom_inst"); atomics && *atomics == 0) return SwapDemand{};
  const std::optional<SwapLoads>& loads = k.record().swap_loads;
  if (!loads) return std::nullopt;
  if (loads->is_exact) {
    const double weight = k.weights().OfExact();
    return SwapDemand{weight * loads->executions, weight * loads->wavefronts,
                      weight * std::max(0.0, loads->wavefronts - loads->ideal_wavefronts), loads->bytes};
  }
  const Measured executions = k.Get("shared_load_inst");
  const Measured wavefronts = k.Get("shared_load_wavefronts") - k.Get("shared_ldsm_wavefronts");
  if (!executions || !wavefronts || loads->samples < kLeastLoadSamples) return std::nullopt;
  // Nobody knows which loads have the bank conflicts.
  const double conflicts =
      *wavefronts > 0 ? std::clamp((k.Get("shared_load_conflicts_hw") / wavefronts).value_or(1), 0.0, 1.0) : 0;
  const Range share = Within(loads->wavefronts, loads->samples) * (1 - conflicts) + Range(0, conflicts);
  return SwapDemand{Within(loads->executions, loads->samples) * *executions, share * *wavefronts, std::nullopt,
                    loads->bytes};
}

}  // namespace culprit
