// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/why/phase_difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/launch/kernel_view.h"
#include "analysis/number/format.h"
#include "analysis/timeline/phase_rates.h"

namespace culprit {
namespace {

// A tail below this share of the time is not worth a sentence.
constexpr double kWorthTelling = 0.05;
// Two times are different if so many standard deviations lie between them.
constexpr double kTwoErrors = 2;
// They are the same if a difference that the errors hide is at most this share of the change.
constexpr double kSmall = 0.25;

using Side = PhaseDifference::Side;

std::string Us(double us) { return Format(us, Unit::kTimeUs); }

bool IsWorthTelling(const Side& side) { return side.tail.share >= kWorthTelling; }

// "The candidate's last 40.0 us run on 12 of 132 SMs"
std::string LastOf(std::string_view name, const Side& side) {
  return fmt::format("The {}'s last {} run on {:.0f} of {} SMs", name, Us(side.TailUs()), side.tail.sms, side.sm_count);
}

std::string TailsText(const PhaseDifference& d) {
  const bool base = IsWorthTelling(d.base), candidate = IsWorthTelling(d.candidate);
  if (base && candidate)
    return fmt::format("{}, the base's last {} on {:.0f}. Before that, ", LastOf("candidate", d.candidate),
                       Us(d.base.TailUs()), d.base.tail.sms);
  return candidate ? LastOf("candidate", d.candidate) + "; the base has no such tail. Before it, "
                   : LastOf("base", d.base) + "; the candidate has no such tail. Before it, ";
}

std::string BeforeText(const PhaseDifference& d) {
  const std::string times = fmt::format("{} and {}, with an error of {}", Us(d.candidate.BeforeUs()),
                                        Us(d.base.BeforeUs()), Us(kTwoErrors * d.before_error_us));
  switch (d.before) {
    case Speed::kSame:
      return fmt::format("the candidate is as fast as the base: {}.", times);
    case Speed::kSlower:
    case Speed::kFaster:
      return fmt::format("the candidate takes {} {} than the base: {}.", Us(std::abs(d.before_delta_us)),
                         d.before == Speed::kSlower ? "longer" : "less long", times);
    case Speed::kAmbiguous:
      return fmt::format("the candidate and the base take {}, too much to tell whether they differ.", times);
  }
  return {};
}

std::optional<Side> SideOf(const KernelRecord& kernel, std::span<const PhaseProfile> profiles) {
  const auto tail = TailOf(kernel, RatesInside(kernel, profiles));
  const Measured time = KernelView(kernel).Get("time_us");
  if (!tail || !time) return std::nullopt;
  return Side{*time, *tail, kernel.run.run.device->sm_count};
}

}  // namespace

std::optional<PhaseDifference> ComparePhases(const KernelRecord& base, std::span<const PhaseProfile> of_base,
                                             const KernelRecord& candidate, std::span<const PhaseProfile> of_candidate,
                                             const NoiseFloor& floor) {
  const auto from = SideOf(base, of_base), to = SideOf(candidate, of_candidate);
  if (!from || !to) return std::nullopt;
  PhaseDifference d{*from, *to, 0, 0, Speed::kAmbiguous, {}};
  d.before_delta_us = to->BeforeUs() - from->BeforeUs();
  d.before_error_us = std::hypot(from->tail.share_error * from->time_us, to->tail.share_error * to->time_us,
                                 floor.OfTime() / kOf99OfPairs * std::min(from->time_us, to->time_us));
  const double sure_us = kTwoErrors * d.before_error_us;
  if (std::abs(d.before_delta_us) > sure_us)
    d.before = d.before_delta_us > 0 ? Speed::kSlower : Speed::kFaster;
  else if (sure_us <= kSmall * std::abs(to->time_us - from->time_us))
    d.before = Speed::kSame;
  if (IsWorthTelling(d.base) || IsWorthTelling(d.candidate)) d.text = TailsText(d) + BeforeText(d);
  return d;
}

}  // namespace culprit
