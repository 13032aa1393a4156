// SPDX-License-Identifier: Apache-2.0
#include "analysis/launch/kernel_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "analysis/launch/derived_facts.h"
#include "analysis/launch/how_to_measure.h"
#include "analysis/launch/recording.h"
#include "db/metric_catalogue.h"
#include "db/sampled_counters.h"
#include "profiler/occupancy.h"

namespace culprit {
namespace {

// Facts about the kernel that was loaded, recorded as readings of the launch.
constexpr std::string_view kLaunchPrefix = "launch_";

std::vector<StaticAttribute> AllAttributes(const KernelRecord& record) {
  std::vector<StaticAttribute> attributes = record.attributes;
  for (const Reading& r : record.readings)
    if (r.metric.id.starts_with(kLaunchPrefix))
      attributes.push_back({r.metric.id.substr(kLaunchPrefix.size()), "launch", r.value, r.status});
  return attributes;
}

// A kernel of a recorded program has only its own facts. Its resident blocks per SM follow from them and the launch. A
// fact that the recording states is kept, even "not known".
StaticView FactsOf(const KernelRecord& record) {
  const LaunchRecord& launch = record.launch;
  StaticView facts(AllAttributes(record));
  const auto threads = static_cast<int>(launch.block_x * launch.block_y * launch.block_z);
  // When one launch starts several kernels, the facts could be of any.
  const bool one_kernel = facts.Get("kernels").value_or(1) == 1;
  const bool stated = facts.Has("theoretical_occupancy") || facts.Has("blocks_per_sm_by_registers");
  if (stated || threads == 0 || !one_kernel) return facts;
  if (!facts.Get("registers") || !facts.Get("static_shared_bytes")) return facts;
  BuildRecord build{launch.stage, launch.arch, launch.kernel, "", AllAttributes(record)};
  AddOccupancy(build, threads, static_cast<int>(launch.dynamic_shared_bytes));
  return StaticView(build.attributes);
}

bool WasReplayed(const KernelRecord& record) {
  return std::ranges::any_of(record.readings, [](const Reading& reading) {
    return reading.metric.source != "launch" && reading.metric.source != kSampledSource;
  });
}

// Reports of the other tools have times alone.
bool HasCounters(ProgramSource source) {
  using enum ProgramSource;
  switch (source) {
    case kRecord:
    case kNcu:
      return true;
    case kGoogleBenchmark:
    case kNvbench:
    case kPytorch:
    case kJax:
    case kNsys:
      return false;
  }
  return false;
}

}  // namespace

KernelView::KernelView(const KernelRecord& record)
    : record_(record), weights_(record), time_(Summarize(record.samples)), statics_(FactsOf(record)) {
  known_.reserve(record.readings.size() + statics_.Facts().size());
  // What was counted comes before what was sampled.
  const bool replayed = WasReplayed(record);
  for (const bool sampled : {false, true})
    for (const Reading& reading : record.readings) {
      const std::string& id = reading.metric.id;
      if ((reading.metric.source == kSampledSource) != sampled || (sampled && !reading.value)) continue;
      // What follows from counts comes first, too.
      if (const DerivedFact* derived = sampled && replayed ? FindDerivedFact(id) : nullptr;
          derived != nullptr && derived->of(*this))
        continue;
      const Measured value(reading.value, reading.status);
      known_.try_emplace(id, Known{value * Measured(weights_.FactorOf(reading.metric)), &reading});
    }
  for (const StaticFact& fact : statics_.Facts()) known_.try_emplace(fact.name, Known{fact.value});
  // A kernel that ran had warps. When none were counted, nothing was observed, and states have no shares.
  if (const auto warps = known_.find("warps_active"); warps != known_.end() && warps->second.value.value() == 0.0)
    warps->second.value = Measured::Missing(Absence::kUndefined);
}

Measured KernelView::Get(std::string_view id) const {
  if (const auto known = known_.find(id); known != known_.end()) return known->second.value;
  const DerivedFact* const derived = FindDerivedFact(id);
  return derived == nullptr ? Measured() : derived->of(*this);
}

const Reading* KernelView::ReadingOf(std::string_view id) const {
  const auto known = known_.find(id);
  return known == known_.end() ? nullptr : known->second.reading;
}

double KernelView::At(std::string_view id) const {
  const Measured value = Get(id);
  if (!value) throw std::logic_error("a rule read '" + std::string(id) + "' without naming it in its needs");
  return *value;
}

bool KernelView::NeedsFullProfile(std::string_view id) const {
  const Measured value = Get(id);
  if (value || value.absence() != Absence::kNotAsked ||
      !(record_.run.run.profile == "core" || record_.run.run.profile == kSampledSource))
    return false;
  const CatalogueMetric* const metric = FindMetric(id);
  // What follows from exact counts bears their prefix.
  return metric != nullptr ? metric->set == MetricSet::kFull : id.starts_with("sass_");
}

bool KernelView::WasCounted() const {
  return std::any_of(record_.readings.begin(), record_.readings.end(),
                     [](const Reading& r) { return r.metric.source != "launch"; });
}

std::string KernelView::WhyNotCounted() const {
  std::string why = "counters of " + record_.stage.id + " were not read in run " + ShortUuid(record_.run.run);
  if (record_.program && !record_.program->not_counted.empty()) return why + " (" + record_.program->not_counted + ").";
  if (const auto& program = record_.run.run.program; program && !HasCounters(program->source))
    return why + ", which was imported and has times alone: record its program with culprit record.";
  const auto was = [&](std::string_view code) {
    return std::ranges::any_of(record_.warnings, [&](const Warning& w) { return w.code == code; });
  };
  if (was(kCountersDenied)) return why + ", because the driver allowed none: culprit doctor says how to allow them.";
  if (was(kCountersHeld)) return why + ", because another tool held them: switch it off and record again.";
  return fmt::format("{} (profile {}): {} reads them.", why, record_.run.run.profile, WhatCounts(record_));
}

std::string_view KernelView::UnitOf(std::string_view id) const {
  if (const auto known = known_.find(id); known != known_.end() && known->second.reading)
    return known->second.reading->metric.unit;
  if (const DerivedFact* derived = FindDerivedFact(id)) return derived->unit;
  if (const CatalogueMetric* metric = FindMetric(id)) return metric->unit;
  // Static attributes have their unit in their name.
  if (id == "theoretical_occupancy") return "fraction";
  return id.ends_with("_bytes") ? "byte" : "count";
}

Measured KernelView::StallShare(std::string_view reason) const {
  return Get("stall_" + std::string(reason)) / Get("warps_active");
}

Measured KernelView::StallUs(std::string_view reason) const { return Get("time_us") * StallShare(reason); }

}  // namespace culprit
