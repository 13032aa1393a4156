// SPDX-License-Identifier: Apache-2.0
#include "profiler/sass_session.h"

#include <algorithm>
#include <utility>

#include "db/error.h"
#include "profiler/metric_host.h"

namespace culprit {
namespace {

std::map<std::string, std::uint64_t> IdsOn(const std::string& chip) {
  std::map<std::string, std::uint64_t> ids;
  for (const SassMetric& m : SassMetricsOn(chip)) ids[m.name] = m.id;
  return ids;
}

}  // namespace

SassSession::SassSession(CUcontext context, unsigned device, const std::string& chip,
                         const std::vector<MetricDefinition>& metrics)
    : context_(context), device_(device), metrics_(metrics), ids_(IdsOn(chip)) {
  for (const MetricDefinition& m : metrics_)
    if (const auto found = ids_.find(m.cupti_name); found != ids_.end())
      configs_.push_back({found->second, CUPTI_SASS_METRICS_OUTPUT_GRANULARITY_GPU});
  auto set = Params<CUpti_SassMetricsSetConfig_Params>();
  set.numOfMetricConfig = configs_.size();
  set.pConfigs = configs_.data();
  set.deviceIndex = device_;
  Check(cuptiSassMetricsSetConfig(&set), "configure SASS metrics");
  auto enable = Params<CUpti_SassMetricsEnable_Params>();
  enable.ctx = context_;
  enable.enableLazyPatching = 1;  // patch only the function that runs, not the whole binary
  if (const CUptiResult result = cuptiSassMetricsEnable(&enable); result != CUPTI_SUCCESS) {
    auto unset = Params<CUpti_SassMetricsUnsetConfig_Params>();
    unset.deviceIndex = device_;
    cuptiSassMetricsUnsetConfig(&unset);
    Check(result, "patch code for SASS metrics");
  }
}

SassSession::~SassSession() {
  auto disable = Params<CUpti_SassMetricsDisable_Params>();
  disable.ctx = context_;
  LogFailure(cuptiSassMetricsDisable(&disable), "remove the patches of SASS metrics");
  auto unset = Params<CUpti_SassMetricsUnsetConfig_Params>();
  unset.deviceIndex = device_;
  LogFailure(cuptiSassMetricsUnsetConfig(&unset), "drop the configuration of SASS metrics");
}

SassCounts SassSession::Fetch() const {
  auto size = Params<CUpti_SassMetricsGetDataProperties_Params>();
  size.ctx = context_;
  Check(cuptiSassMetricsGetDataProperties(&size), "size the SASS metric records");
  if (size.numOfPatchedInstructionRecords == 0 || size.numOfInstances == 0)
    throw Error(
        "CUPTI patched no kernel: SASS metrics see only code that was loaded after CUPTI started or is not encrypted");
  // numOfInstances covers all metrics of a record at GPU granularity. CUPTI's manual allows two readings; the larger
  // number suits both.
  const std::size_t room = std::max(size.numOfInstances, configs_.size());
  std::vector<CUpti_SassMetrics_InstanceValue> values(size.numOfPatchedInstructionRecords * room);
  std::vector<CUpti_SassMetrics_Data> records(size.numOfPatchedInstructionRecords);
  for (std::size_t i = 0; i < records.size(); ++i) {
    records[i] = {};
    records[i].structSize = sizeof(CUpti_SassMetrics_Data);
    records[i].pInstanceValues = values.data() + i * room;
  }
  auto p = Params<CUpti_SassMetricsFlushData_Params>();
  p.ctx = context_;
  p.numOfPatchedInstructionRecords = records.size();
  p.numOfInstances = size.numOfInstances;
  p.pMetricsData = records.data();
  Check(cuptiSassMetricsFlushData(&p), "fetch the SASS metric records");

  std::map<std::uint64_t, std::string> ours;
  for (const MetricDefinition& m : metrics_)
    if (const auto id = ids_.find(m.cupti_name); id != ids_.end()) ours[id->second] = m.id;
  SassCounts counts;
  std::map<std::uint64_t, double> sums;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const std::string function = records[i].functionName != nullptr ? records[i].functionName : "";
    if (counts.function.empty()) counts.function = function;
    for (std::size_t j = 0; j < size.numOfInstances; ++j) {
      const auto& value = records[i].pInstanceValues[j];
      sums[value.metricId] += static_cast<double>(value.value);
      if (const auto metric = ours.find(value.metricId); metric != ours.end())
        counts.by_instruction.Add(function, records[i].pcOffset, metric->second, static_cast<double>(value.value));
    }
  }
  for (const MetricDefinition& m : metrics_) {
    Reading& reading = counts.readings.emplace_back(Reading{m, std::nullopt, ReadingStatus::kUnsupported});
    const auto id = ids_.find(m.cupti_name);
    if (id == ids_.end()) continue;
    // When the kernel lacks the metric's instructions there is no record. Every instruction is patched, so the count is
    // 0.
    const auto sum = sums.find(id->second);
    reading = {m, sum != sums.end() ? sum->second : 0.0, ReadingStatus::kOk};
  }
  return counts;
}

std::vector<Reading> SassReadings(const std::vector<MetricDefinition>& metrics, const std::string& chip,
                                  ReadingStatus status) {
  std::map<std::string, std::uint64_t> ids;
  try {
    ids = IdsOn(chip);
  } catch (const Error&) {  // not known whether CUPTI has them
  }
  std::vector<Reading> readings;
  for (const MetricDefinition& m : metrics)
    readings.push_back(
        {m, std::nullopt, ids.empty() || ids.contains(m.cupti_name) ? status : ReadingStatus::kUnsupported});
  return readings;
}

}  // namespace culprit
