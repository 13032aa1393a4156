// SPDX-License-Identifier: Apache-2.0
#include "analysis/gain/gain_line.h"

#include <fmt/core.h>

#include "analysis/format.h"
#include "analysis/gain/calibrated.h"
#include "analysis/gain/gain.h"

namespace culprit {
namespace {

std::string ErrorText(const CalibratedError* error) {
  if (error == nullptr) return "not calibrated: no recorded edge tests it";
  const std::string_view s = error->experiments == 1 ? "" : "s";
  if (error->error_factor)
    return fmt::format("typically within a factor of {} ({} recorded edge{})",
                       Format(*error->error_factor, Unit::kRatio), error->experiments, s);
  return fmt::format("held against {} recorded edge{} only, there within a factor of {}", error->experiments, s,
                     Format(error->worst_factor, Unit::kRatio));
}

}  // namespace

void AddGain(const KernelView& kernel, const Finding& finding, Item& item) {
  const GainRule* rule = FindGainRule(finding.id);
  const auto gain = rule ? EstimateGain(kernel, *rule) : std::nullopt;
  if (!gain) return;
  const CalibratedError* error = FindCalibratedError(finding.id);
  const auto missing = Measured::Missing(Absence::kUndefined);
  const Number factor{error && error->error_factor ? Measured(*error->error_factor) : missing, Unit::kRatio};
  item.gain = {{"gain_us", "", Number{gain->gain_us, Unit::kTimeUs}},
               {"assumption", "", std::string(rule->assumption)},
               {"limit", "", std::string(gain->limit)},
               {"error_factor", "", factor},
               {"experiments", "", Number{error ? error->experiments : 0, Unit::kCount}}};
  std::string line = fmt::format("Gain {} if {}", Format(gain->gain_us, Unit::kTimeUs), rule->assumption);
  if (!gain->limit.empty()) line += fmt::format("; then {} would set the pace", gain->limit);
  item.details.push_back(fmt::format("{}; {}.", line, ErrorText(error)));
}

}  // namespace culprit
