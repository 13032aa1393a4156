// SPDX-License-Identifier: Apache-2.0
#include "analysis/launch/how_to_measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "db/metric_catalogue.h"

namespace culprit {
namespace {

// With or without a value: do not ask again for what ncu says that the chip lacks.
bool WasAsked(const KernelRecord& kernel, std::string_view id) {
  return std::ranges::any_of(kernel.readings, [&](const Reading& r) { return r.metric.id == id; });
}

// Longer commands are not repeated in a sentence.
constexpr std::size_t kLongestCommands = 200;

}  // namespace

bool IsFrom(const RunRecord& run, ProgramSource source) { return run.program && run.program->source == source; }

std::vector<std::string> NcuMetricNames(int cc_major, int cc_minor) {
  std::set<std::string> names;
  for (const CatalogueMetric& metric : MetricCatalogue())
    if (const auto name = NcuNameOn(metric, ChipWith(cc_major, cc_minor))) names.emplace(*name);
  return {names.begin(), names.end()};
}

std::string NcuCommand(std::span<const KernelRecord* const> kernels) {
  bool lacks = false;
  int major = 0, minor = 0;
  for (const KernelRecord* kernel : kernels) {
    const RunRecord& run = kernel->run.run;
    if (!IsFrom(run, ProgramSource::kNcu) || !run.device) return "";
    major = run.device->cc_major;
    minor = run.device->cc_minor;
    for (const CatalogueMetric& metric : MetricCatalogue())
      lacks |= NcuNameOn(metric, ChipWith(major, minor)) && !WasAsked(*kernel, metric.id);
  }
  if (!lacks) return "";
  return fmt::format(
      "ncu --set full --metrics $(culprit causes --ncu {}.{}) --csv --page raw --print-units base "
      "--print-metric-instances details PROGRAM > FILE.csv",
      major, minor);
}

std::string_view WhatCountsExactly(const RunRecord& run) {
  return run.program ? "culprit record -k NAME" : "--profile=full";
}

std::string WhatCounts(const KernelRecord& kernel) {
  const RunRecord& run = kernel.run.run;
  if (!run.program) return std::string(WhatCountsExactly(run));
  const bool is_known = !run.command_line.empty() && run.command_line.size() <= kLongestCommands;
  return fmt::format("culprit record -k {} -- {}", kernel.stage.id, is_known ? run.command_line : "PROGRAM");
}

bool WasOnlySampled(const KernelRecord& kernel) {
  return IsFrom(kernel.run.run, ProgramSource::kRecord) && kernel.program && kernel.program->counted == 0;
}

std::string HowToMeasure(const KernelRecord& base_kernel, const KernelRecord& candidate_kernel) {
  const RunRecord &base = base_kernel.run.run, &candidate = candidate_kernel.run.run;
  if (IsFrom(base, ProgramSource::kNcu)) return "profile both with ncu --set full";
  if (!base.program && !candidate.program) return "record both with --profile=full";
  // Two commands are two programs, which versus runs. One command is a program that was built anew.
  const std::string &from = base.command_line, &to = candidate.command_line;
  const bool can_run_both = IsFrom(base, ProgramSource::kRecord) && IsFrom(candidate, ProgramSource::kRecord) &&
                            !from.empty() && !to.empty() && from.size() + to.size() <= kLongestCommands;
  if (can_run_both && from != to) return fmt::format("culprit versus -- {} -- {}", from, to);
  const std::string &one = base_kernel.stage.id, &other = candidate_kernel.stage.id;
  // Ids have no characters with a meaning in expressions.
  return fmt::format("record both with culprit record -k {} -- {}",
                     one == other ? one : fmt::format("'{}|{}'", one, other), can_run_both ? from : "PROGRAM");
}

}  // namespace culprit
