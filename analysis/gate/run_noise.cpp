// SPDX-License-Identifier: Apache-2.0
#include "analysis/gate/run_noise.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "analysis/launch/machine.h"
#include "analysis/number/statistics.h"

namespace culprit {
namespace {

// The share of pairs of recordings that the noise covers. A larger one would hide slow-downs of 5 % on an H200, where
// one pair in a hundred differs by 22 %. What is beyond it is only suspect, so a false alarm costs a confirmation.
constexpr double kCovered = 0.9;

// Of fewer pairs, the share above says too little: ten are beyond it.
constexpr std::size_t kLeastPairs = 100;

// Shorter launches vary more.
constexpr double kShortLaunchUs = 40;

struct KnownNoise {
  std::string_view device;
  double below_40_us, longer;
  std::string_view pairs;
};

// docs/evidence/gate.md shows both. H100: the 99th percentile of 489 pairs (docs/evidence/noise.md), of recordings that
// no longer ship. H200: the 90th percentile of pairs of the recordings that ship, days apart and probably on several
// cards; tests/noise/gate_runs_test.cpp measures it again.
constexpr KnownNoise kKnownNoise[] = {
    {"NVIDIA H100 80GB HBM3", 0.04, 0.010, "489 pairs of recordings of the same code on H100"},
    {"NVIDIA H200", 0.107, 0.0273, "614 pairs of recordings of the same code on H200"},
};

// What a pair of launches must have in common.
using Identity = std::tuple<std::string, std::string, std::string, std::string, std::array<std::int64_t, 7>>;

std::optional<Identity> IdentityOf(const KernelRecord& kernel) {
  if (kernel.cubin_digest.empty() || kernel.launch.state != LaunchState::kOk) return std::nullopt;
  const LaunchRecord& l = kernel.launch;
  return Identity{kernel.stage.id,
                  l.shape,
                  kernel.cubin_digest,
                  kernel.run.run.l2 + (kernel.program ? kernel.program->nvtx : ""),
                  {l.grid_x, l.grid_y, l.grid_z, l.block_x, l.block_y, l.block_z, l.dynamic_shared_bytes}};
}

struct Middle {
  double us;
  std::optional<double> cycles;
};

// None for a launch with too few samples for a median that means something.
std::optional<Middle> MiddleOf(const KernelRecord& kernel) {
  constexpr std::size_t kLeastForMedian = 5;  // samples
  const TimedValues values = Together(ValuesByProcess(kernel.samples), false);
  if (values.times.size() < kLeastForMedian) return std::nullopt;
  Middle middle{Describe(values.times)->median, {}};
  if (values.cycles.size() == values.times.size()) middle.cycles = Describe(values.cycles)->median;
  return middle;
}

}  // namespace

MeasuredRunNoise::MeasuredRunNoise(std::span<const std::vector<KernelRecord>> runs) {
  std::map<Identity, std::vector<Middle>> launches;  // of one identity, one per run
  for (const std::vector<KernelRecord>& run : runs) {
    std::map<Identity, std::pair<const KernelRecord*, int>> of_run;
    for (const KernelRecord& kernel : run)
      if (const auto identity = IdentityOf(kernel)) ++of_run.try_emplace(*identity, &kernel, 0).first->second.second;
    for (const auto& [identity, one] : of_run)
      if (one.second == 1)  // of two alike, nobody knows which belongs to which
        if (const auto middle = MiddleOf(*one.first)) launches[identity].push_back(*middle);
  }
  for (const auto& [identity, middles] : launches)
    for (auto one = middles.begin(); one != middles.end(); ++one)
      for (auto other = std::next(one); other != middles.end(); ++other) {
        const bool by_cycles = one->cycles && other->cycles;
        const double ratio = by_cycles ? *other->cycles / *one->cycles : other->us / one->us;
        (std::min(one->us, other->us) < kShortLaunchUs ? short_ : long_).push_back(std::abs(std::log(ratio)));
      }
  std::ranges::sort(short_);
  std::ranges::sort(long_);
}

RunNoise MeasuredRunNoise::At(const std::string& device, double time_us) const {
  const std::vector<double>& measured = time_us < kShortLaunchUs ? short_ : long_;
  if (measured.size() >= kLeastPairs)
    return {std::expm1(Quantile(measured, kCovered)), static_cast<int>(measured.size()),
            fmt::format("{}: {} pairs of recordings of the same code", ToText(NoiseOf::kGpu), measured.size())};
  RunNoise largest;
  for (const KnownNoise& known : kKnownNoise) {
    const double change = time_us < kShortLaunchUs ? known.below_40_us : known.longer;
    if (known.device == device) return {change, 0, fmt::format("{}: {}", ToText(NoiseOf::kKind), known.pairs)};
    if (largest.change < change) largest = {change, 0, SourceOfAssumed(device, known.pairs)};
  }
  return largest;
}

}  // namespace culprit
