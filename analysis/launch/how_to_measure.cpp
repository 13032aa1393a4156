// SPDX-License-Identifier: Apache-2.0
#include "analysis/launch/how_to_measure.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "db/metric_catalogue.h"

namespace culprit {
namespace {

// With or without a value: do not ask again for what ncu says that the chip lacks.
bool WasAsked(const KernelRecord& kernel, std::string_view id) {
  return std::ranges::any_of(kernel.readings, [&](const Reading& r) { return r.metric.id == id; });
}

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
      "ncu --set full --metrics $(culprit causes --ncu {}.{}) --csv --page raw --print-units base PROGRAM > FILE.csv",
      major, minor);
}

std::string HowToCountExactly(const RunRecord& base, const RunRecord& candidate) {
  if (IsFrom(base, ProgramSource::kNcu)) return "profile both with ncu --set full";
  if (base.profile != "full" || candidate.profile != "full") return "record both with --profile=full";
  // In a program, the eight kernels with the most time are counted exactly.
  return base.program || candidate.program ? "name the kernel: culprit record -k NAME --profile full" : "";
}

}  // namespace culprit
