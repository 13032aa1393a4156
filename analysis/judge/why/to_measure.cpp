// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/why/to_measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "analysis/judge/why/attribute.h"
#include "analysis/judge/why/explain.h"
#include "analysis/launch/derived_facts.h"
#include "analysis/launch/how_to_measure.h"
#include "analysis/number/joined.h"
#include "db/metric_catalogue.h"

namespace culprit {
namespace {

// Below this share of the change, what was not measured is not worth a caveat.
constexpr double kMuchOpen = 0.2;

// Facts of the compiler cannot be counted.
bool CanMeasure(const std::string& id) { return FindMetric(id) != nullptr || FindDerivedFact(id) != nullptr; }

bool WasNotAsked(const KernelView& kernel, const std::string& id) {
  const Measured value = kernel.Get(id);
  return !value && value.absence() == Absence::kNotAsked;
}

}  // namespace

std::vector<std::string> ToAsk(const std::vector<std::string>& missing, const KernelView& base,
                               const KernelView& candidate) {
  std::vector<std::string> to_ask;
  std::ranges::copy_if(missing, std::back_inserter(to_ask), [&](const std::string& id) {
    return CanMeasure(id) && (WasNotAsked(base, id) || WasNotAsked(candidate, id));
  });
  return to_ask;
}

std::optional<ToMeasure> ToMeasureOf(const Explanation& e, const KernelView& base, const KernelView& candidate,
                                     const Attributor& attributor, const Attribution& attribution) {
  const double much_us = kMuchOpen * std::abs(e.DeltaUs());
  ToMeasure to_measure;
  if (std::abs(attribution.rest.at(kNotMeasured)) > much_us)
    to_measure.for_rest = ToAsk(attributor.MayLeaveOpen(*e.decomposition, attribution), base, candidate);
  const auto first =
      std::ranges::find_if(e.not_judged, [](const CauseNotJudged& cause) { return !cause.to_ask.empty(); });
  if (first != e.not_judged.end()) {
    const double named_us = e.causes.empty() ? 0 : std::abs(e.causes.front().delta_us);
    to_measure.matters = first->could_us > much_us && (std::abs(e.unexplained_us) > much_us || e.open_us > named_us);
  } else if (to_measure.for_rest.empty()) {
    return std::nullopt;
  }
  to_measure.how = HowToMeasure(base.record(), candidate.record());
  return to_measure;
}

// "Not judged, because counters are missing: shared_bank_conflicts, clock and 3 more. To measure them: record both with ..."
std::string ToMeasureCaveat(const Explanation& e) {
  if (!e.to_measure) return "";
  if (e.to_measure->matters)
    return fmt::format("Not judged, because counters are missing: {}. To measure them: {}.",
                       JoinedFirst(CausesToMeasure(e), kMostMissingNamed), e.to_measure->how);
  if (e.to_measure->for_rest.empty()) return "";
  return fmt::format("A large part is given to no cause, because counters are missing: {}. To measure them: {}.",
                     JoinedFirst(e.to_measure->for_rest, kMostMissingNamed), e.to_measure->how);
}

std::vector<std::string> CausesToMeasure(const Explanation& e) {
  std::vector<std::string> causes;
  for (const CauseNotJudged& cause : e.not_judged)
    if (!cause.to_ask.empty()) causes.push_back(cause.cause);
  return causes;
}

std::vector<std::string> MetricsToMeasure(const Explanation& e) {
  std::vector<std::string> metrics;
  const auto add = [&](const std::vector<std::string>& ids) {
    for (const std::string& id : ids)
      if (std::ranges::find(metrics, id) == metrics.end()) metrics.push_back(id);
  };
  for (const CauseNotJudged& cause : e.not_judged) add(cause.to_ask);
  if (e.to_measure) add(e.to_measure->for_rest);
  return metrics;
}

}  // namespace culprit
