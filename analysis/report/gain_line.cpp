// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/gain_line.h"

#include <fmt/core.h>

#include "analysis/causes/calibrated.h"
#include "analysis/causes/cause.h"
#include "analysis/causes/gain.h"
#include "analysis/render/format.h"

namespace culprit {
namespace {

using enum Unit;

std::string Pairs(int n, const char* kind = "") { return fmt::format("{} {}pair{}", n, kind, n == 1 ? "" : "s"); }

// The error on pairs that culprit why explains by this cause, and beside it the one on those of which nothing else
// changed.
std::string ErrorText(const CalibratedError* error) {
  if (error == nullptr) return "not calibrated: no recorded pair tests it";
  const auto times = [](double factor) { return fmt::format("{:.2f}x", factor); };
  std::string text;
  if (error->error_factor)
    text = fmt::format("past estimates: within {} ({})", times(*error->error_factor), Pairs(error->experiments));
  else if (error->experiments > 0)
    text = fmt::format("past estimates: {} only, within {}", Pairs(error->experiments), times(error->worst_factor));
  else
    text = fmt::format("not calibrated: culprit why explains none of {} by it", Pairs(error->alone));
  if (error->alone_factor) text += fmt::format(", {} ({})", times(*error->alone_factor), Pairs(error->alone, "clean "));
  return text;
}

}  // namespace

void AddGain(const KernelView& kernel, const Finding& finding, Item& item) {
  const Cause* cause = FindCause(finding.id);
  if (cause == nullptr || cause->gain.removal == nullptr) return;
  const GainRule* rule = &cause->gain;
  const auto gain = EstimateGain(kernel, *rule);
  if (!gain) return;
  const CalibratedError* error = FindCalibratedError(finding.id);
  const CalibratedError known = error ? *error : CalibratedError{};
  const auto factor = [](const std::optional<double>& f) {
    return Cell(f ? Measured(*f) : Measured::Missing(Absence::kUndefined), kRatio);
  };
  item.gain = {{"gain_us", "", {gain->gain_us, kTimeUs}},
               {"is_bound", "", rule->is_bound ? "yes" : "no"},
               {"assumption", "", rule->assumption},
               {"limit", "", gain->limit},
               {"error_factor", "", factor(known.error_factor)},
               {"experiments", "", Cell(known.experiments, kCount)},
               {"alone_factor", "", factor(known.alone_factor)},
               {"alone", "", Cell(known.alone, kCount)}};
  std::string line = fmt::format("Gain {}{} if {}", rule->is_bound ? "at most " : "", Format(gain->gain_us, kTimeUs),
                                 rule->assumption);
  if (!gain->limit.empty()) line += fmt::format("; then {} would set the pace", gain->limit);
  item.details.push_back(fmt::format("{}; {}.", line, ErrorText(error)));
}

}  // namespace culprit
