// SPDX-License-Identifier: Apache-2.0
#include "analysis/launch/fact_source.h"

#include <algorithm>
#include <string>

#include "db/sampled_counters.h"

namespace culprit {
namespace {

bool IsSampled(const Reading& reading) { return reading.metric.source == kSampledSource; }
bool IsOfLaunch(const Reading& reading) { return reading.metric.source == "launch"; }

}  // namespace

std::string_view SourceOf(const KernelView& kernel, std::string_view fact) {
  const KernelRecord& record = kernel.record();
  if (const Reading* reading = kernel.ReadingOf(fact)) {
    if (IsOfLaunch(*reading)) return "static";
    if (IsSampled(*reading)) return "sampled";
    if (kernel.weights().FactorOf(reading->metric) != 1) return "scaled";
    return reading->metric.source == "sass" ? "exact" : "counted";
  }
  if (fact == "time_us") return "timed";
  const auto is_stated = [&](const auto& attribute) { return attribute.name == fact; };
  const auto is_of_loaded = [&](const Reading& r) {
    return IsOfLaunch(r) && r.metric.id == "launch_" + std::string(fact);
  };
  if (std::ranges::any_of(record.attributes, is_stated) || std::ranges::any_of(record.readings, is_of_loaded))
    return "static";
  return CountersOf(record) == "sampled" ? "derived from samples" : "derived";
}

std::optional<double> ErrorOf(const KernelView& kernel, std::string_view fact) {
  const Reading* reading = kernel.ReadingOf(fact);
  return reading != nullptr && IsSampled(*reading) ? reading->error : std::nullopt;
}

std::string_view CountersOf(const KernelRecord& kernel) {
  const auto counts = [](const Reading& r) { return r.value && !IsSampled(r) && !IsOfLaunch(r); };
  if (std::ranges::any_of(kernel.readings, counts)) return "counted";
  return std::ranges::any_of(kernel.readings, IsSampled) ? "sampled" : "";
}

}  // namespace culprit
