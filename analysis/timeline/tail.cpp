// SPDX-License-Identifier: Apache-2.0
#include "analysis/timeline/tail.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace culprit {
namespace {

// In a tail, at most this share of the SMs from before it have a warp.
constexpr double kMostSms = 0.5;
// A tail is there if it improves the sum of squares by the square of so many standard deviations.
constexpr double kSure = 3;
// A tail that could be there is one that makes the sum of squares worse by at most the square of so many.
constexpr double kCouldBe = 2;
// If a tail of more than twice this share of the time could hide in the errors, nothing is said.
constexpr double kMostHidden = 0.1;
// Kernels do not work in steps. So phases may differ from the fitted step by this share of the mean rate, beside their errors.
constexpr double kUneven = 0.05;
// Steps of the beginning of the tail that are tried, from the start of the launch to its end.
constexpr int kSteps = 1000;

// The best step that begins at `start`, a relative time; 1: no tail.
struct Step {
  double start = 1, before = 0, after = 0, after_error = 0, squares = std::numeric_limits<double>::infinity();
};

// `most`: of the SMs before it, in the tail.
Step FitStep(const PhaseRates& active, double start, double most) {
  // Normal equations of value = early x before + (1 - early) x after, where `early` is the part of a phase before the tail.
  double ee = 0, el = 0, ll = 0, ev = 0, lv = 0;
  const auto each = [&](auto add) {
    for (std::size_t q = 0; q < active.values.size(); ++q) {
      const double from = active.edges[q], to = active.edges[q + 1];
      const double early = to > from ? std::clamp((start - from) / (to - from), 0.0, 1.0) : 0;
      add(early, 1 - early, active.values[q], 1 / (active.errors[q] * active.errors[q]));
    }
  };
  each([&](double early, double late, double value, double weight) {
    ee += weight * early * early, el += weight * early * late, ll += weight * late * late;
    ev += weight * early * value, lv += weight * late * value;
  });
  Step step{start};
  const double determinant = ee * ll - el * el;
  if (!(ee > 0)) return step;
  if (ll == 0) {
    step.before = ev / ee;
  } else {
    // Phases that lie in part before the tail do not tell the two numbers apart alone.
    if (determinant > 1e-9 * ee * ll) {
      step.before = (ev * ll - lv * el) / determinant;
      step.after = (ee * lv - el * ev) / determinant;
      step.after_error = std::sqrt(ee / determinant);
    }
    if (determinant <= 1e-9 * ee * ll || step.after > most * step.before) {
      const double norm = ee + 2 * most * el + most * most * ll;
      step.before = (ev + most * lv) / norm;
      step.after = most * step.before;
      step.after_error = most / std::sqrt(norm);
    } else if (step.after < 0) {
      step.before = ev / ee;
      step.after = 0;
    }
  }
  step.squares = 0;
  each([&](double early, double late, double value, double weight) {
    const double off = value - early * step.before - late * step.after;
    step.squares += weight * off * off;
  });
  return step;
}

// The mean in the tail. In the phase in which it begins, SMs may run out of work at once or one by one: `low` and `high`.
struct TailMean {
  double low = 0, high = 0;
  double Middle() const { return (low + high) / 2; }
};

TailMean MeanAfter(const PhaseRates& active, const Step& step) {
  TailMean mean;
  for (std::size_t q = 0; q < active.values.size(); ++q) {
    const double from = active.edges[q], to = active.edges[q + 1],
                 early = std::clamp(step.start - from, 0.0, to - from);
    if (early == to - from) continue;
    mean.low += std::max(0.0, active.values[q] * (to - from) - step.before * early);
    mean.high += active.values[q] * (to - from - early);
  }
  const double share = 1 - step.start;
  return {mean.low / share, mean.high / share};
}

}  // namespace

std::optional<Tail> TailOf(const KernelRecord& kernel, std::span<const PhaseRates> rates) {
  const auto found = std::ranges::find_if(rates, [](const PhaseRates& of) { return of.rate->id == "sms_active"; });
  if (found == rates.end() || !kernel.run.run.device) return std::nullopt;
  PhaseRates uneven = *found;
  for (double& error : uneven.errors)
    if (error > 0) error = std::hypot(error, kUneven * uneven.mean);
  const PhaseRates* const active = &uneven;
  const std::size_t phases = active->values.size();
  constexpr std::size_t kUnknowns = 3;  // before, after, start
  if (phases <= kUnknowns || !(std::ranges::min(active->errors) > 0)) return std::nullopt;

  std::vector<Step> steps;  // from the latest start of a tail to the earliest
  const Step none = FitStep(*active, 1, kMostSms);
  double least = none.squares;  // also of steps to more SMs, which are no tails
  for (int i = kSteps - 1; i > 0; --i) {
    const double start = static_cast<double>(i) / kSteps;
    steps.push_back(FitStep(*active, start, kMostSms));
    least = std::min({least, steps.back().squares, FitStep(*active, start, 1).squares});
  }
  const auto best = std::ranges::min_element(steps, {}, &Step::squares);
  // Where phases scatter by more than their errors, these are larger by as much.
  const double scale = std::max(1.0, least / static_cast<double>(phases - kUnknowns));
  const double most_squares = least + kCouldBe * kCouldBe * scale;

  const double percent_to_sms = kernel.run.run.device->sm_count / 100.0;
  Tail tail{.sms_before = none.before * percent_to_sms};
  if (none.squares - best->squares < kSure * kSure * scale || best->squares > most_squares) {
    const auto hidden = std::ranges::find_if(steps, [&](const Step& step) { return step.squares > most_squares; });
    tail.share_error = hidden == steps.end() ? 1 : (1 - hidden->start) / 2;
    return tail.share_error <= kMostHidden ? std::optional(tail) : std::nullopt;
  }
  const auto could_be = [&](const Step& step) { return step.squares <= best->squares + scale; };
  auto latest = best, earliest = best;
  while (latest != steps.begin() && could_be(*std::prev(latest))) --latest;
  while (std::next(earliest) != steps.end() && could_be(*std::next(earliest))) ++earliest;
  const Step& middle = *(latest + (earliest - latest) / 2);
  tail.share = 1 - middle.start;
  tail.share_error = (latest->start - earliest->start) / 2 + 0.5 / kSteps;
  tail.sms_before = middle.before * percent_to_sms;
  const TailMean mean = MeanAfter(*active, middle);
  tail.sms = mean.Middle() * percent_to_sms;
  const double by_start = (MeanAfter(*active, *earliest).Middle() - MeanAfter(*active, *latest).Middle()) / 2;
  tail.sms_error =
      std::hypot(middle.after_error * std::sqrt(scale), by_start, (mean.high - mean.low) / 2) * percent_to_sms;
  return tail;
}

}  // namespace culprit
