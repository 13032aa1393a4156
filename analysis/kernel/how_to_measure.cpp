// SPDX-License-Identifier: Apache-2.0
#include "analysis/kernel/how_to_measure.h"

#include <fmt/format.h>

#include <algorithm>

#include "db/metric_catalogue.h"

namespace culprit {
namespace {

template <class T>
void SortUnique(std::vector<T>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

// With a value or not: what ncu says that the chip does not have is not asked for again.
bool WasAsked(const KernelRecord& kernel, std::string_view id) {
  return std::ranges::any_of(kernel.readings, [&](const Reading& r) { return r.metric.id == id; });
}

}  // namespace

bool IsFrom(const RunRecord& run, ProgramSource source) { return run.program && run.program->source == source; }

std::vector<std::string> NcuMetricNames(int cc_major, int cc_minor) {
  std::vector<std::string> names;
  for (const CatalogueMetric& metric : MetricCatalogue())
    if (const auto name = NcuNameOn(metric, ChipWith(cc_major, cc_minor))) names.emplace_back(*name);
  SortUnique(names);
  return names;
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
  // Of a program the eight kernels with most time are counted exactly.
  return base.program || candidate.program ? "name the kernel: culprit record -k NAME --profile full" : "";
}

std::string MeasuringCommand(Needs needs) {
  SortUnique(needs.stages);
  SortUnique(needs.sizes);
  return fmt::format("gemm_bench --profile=full --stages {} --shapes {} --db FILE", fmt::join(needs.stages, ","),
                     fmt::join(needs.sizes, ","));
}

}  // namespace culprit
