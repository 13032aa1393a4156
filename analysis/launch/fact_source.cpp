// SPDX-License-Identifier: Apache-2.0
#include "analysis/launch/fact_source.h"

#include <algorithm>
#include <string>

#include "analysis/launch/kernel_view.h"
#include "db/sampled_counters.h"

namespace culprit {
namespace {

bool IsSampled(const Reading& reading) { return reading.metric.source == kSampledSource; }
bool IsOfLaunch(const Reading& reading) { return reading.metric.source == "launch"; }

}  // namespace

std::string_view SourceOf(const KernelRecord& kernel, std::string_view fact) {
  const KernelView view(kernel);
  if (const Reading* reading = view.ReadingOf(fact)) {
    if (IsOfLaunch(*reading)) return "static";
    if (IsSampled(*reading)) return "sampled";
    if (view.weights().FactorOf(reading->metric) != 1) return "scaled";
    return reading->metric.source == "sass" ? "exact" : "counted";
  }
  if (fact == "time_us") return "timed";
  const auto is_stated = [&](const auto& attribute) { return attribute.name == fact; };
  const auto is_of_loaded = [&](const Reading& r) {
    return IsOfLaunch(r) && r.metric.id == "launch_" + std::string(fact);
  };
  if (std::ranges::any_of(kernel.attributes, is_stated) || std::ranges::any_of(kernel.readings, is_of_loaded))
    return "static";
  return CountersOf(kernel) == "sampled" ? "derived from samples" : "derived";
}

std::optional<double> ErrorOf(const KernelRecord& kernel, std::string_view fact) {
  const KernelView view(kernel);
  const Reading* reading = view.ReadingOf(fact);
  return reading != nullptr && IsSampled(*reading) ? reading->error : std::nullopt;
}

std::string_view CountersOf(const KernelRecord& kernel) {
  const auto counts = [](const Reading& r) { return r.value && !IsSampled(r) && !IsOfLaunch(r); };
  if (std::ranges::any_of(kernel.readings, counts)) return "counted";
  return std::ranges::any_of(kernel.readings, IsSampled) ? "sampled" : "";
}

}  // namespace culprit
