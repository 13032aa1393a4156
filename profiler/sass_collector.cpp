// SPDX-License-Identifier: Apache-2.0
#include "profiler/sass_collector.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "profiler/cuda_context.h"
#include "profiler/cupti_call.h"
#include "profiler/instruction_counts.h"
#include "profiler/metric_host.h"

namespace culprit {
namespace {

class Configured {
 public:
  explicit Configured(std::vector<CUpti_SassMetrics_Config> configs, unsigned device)
      : configs_(std::move(configs)), device_(device) {
    auto p = Params<CUpti_SassMetricsSetConfig_Params>();
    p.numOfMetricConfig = configs_.size();
    p.pConfigs = configs_.data();
    p.deviceIndex = device_;
    Check(cuptiSassMetricsSetConfig(&p), "configure SASS metrics");
  }
  ~Configured() {
    auto p = Params<CUpti_SassMetricsUnsetConfig_Params>();
    p.deviceIndex = device_;
    LogFailure(cuptiSassMetricsUnsetConfig(&p), "drop the configuration of SASS metrics");
  }
  Configured(const Configured&) = delete;

 private:
  std::vector<CUpti_SassMetrics_Config> configs_;
  unsigned device_;
};

class Patched {
 public:
  explicit Patched(CUcontext context) : context_(context) {
    auto p = Params<CUpti_SassMetricsEnable_Params>();
    p.ctx = context_;
    p.enableLazyPatching = 1;  // patch the one function that runs, not the whole binary
    Check(cuptiSassMetricsEnable(&p), "patch code for SASS metrics");
  }
  ~Patched() {
    auto p = Params<CUpti_SassMetricsDisable_Params>();
    p.ctx = context_;
    LogFailure(cuptiSassMetricsDisable(&p), "remove the patches of SASS metrics");
  }
  Patched(const Patched&) = delete;

 private:
  CUcontext context_;
};

struct Counts {
  std::string function;  // the first function that has records
  std::map<std::uint64_t, double>
      by_metric;  // CUPTI's metric id -> sum over the instructions of all recorded functions
  InstructionCounts by_instruction;
};

// `metrics`: CUPTI's metric id -> ours.
Counts Flush(CUcontext context, const std::map<std::uint64_t, std::string>& metrics) {
  auto size = Params<CUpti_SassMetricsGetDataProperties_Params>();
  size.ctx = context;
  Check(cuptiSassMetricsGetDataProperties(&size), "size the SASS metric records");
  if (size.numOfPatchedInstructionRecords == 0 || size.numOfInstances == 0)
    throw Error(
        "CUPTI patched no kernel: SASS metrics see only code that was loaded after CUPTI started or is not encrypted");
  // numOfInstances covers all metrics of a record at GPU granularity; the larger of the two is room for either reading
  // of CUPTI's manual.
  const std::size_t room = std::max(size.numOfInstances, metrics.size());
  std::vector<CUpti_SassMetrics_InstanceValue> values(size.numOfPatchedInstructionRecords * room);
  std::vector<CUpti_SassMetrics_Data> records(size.numOfPatchedInstructionRecords);
  for (std::size_t i = 0; i < records.size(); ++i) {
    records[i] = {};
    records[i].structSize = sizeof(CUpti_SassMetrics_Data);
    records[i].pInstanceValues = values.data() + i * room;
  }
  auto p = Params<CUpti_SassMetricsFlushData_Params>();
  p.ctx = context;
  p.numOfPatchedInstructionRecords = records.size();
  p.numOfInstances = size.numOfInstances;
  p.pMetricsData = records.data();
  Check(cuptiSassMetricsFlushData(&p), "fetch the SASS metric records");

  Counts counts;
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (counts.function.empty() && records[i].functionName != nullptr) counts.function = records[i].functionName;
    const std::string function = records[i].functionName != nullptr ? records[i].functionName : "";
    for (std::size_t j = 0; j < size.numOfInstances; ++j) {
      const auto& value = records[i].pInstanceValues[j];
      counts.by_metric[value.metricId] += static_cast<double>(value.value);
      if (const auto metric = metrics.find(value.metricId); metric != metrics.end())
        counts.by_instruction.Add(function, records[i].pcOffset, metric->second, static_cast<double>(value.value));
    }
  }
  return counts;
}

}  // namespace

SassCollector::SassCollector(MetricSet set, std::string chip)
    : metrics_(MetricsOf(MetricSource::kSass, set, chip)), chip_(std::move(chip)) {}

std::vector<Repetitions> SassCollector::Collect(std::span<const Counted> work) {
  if (!work.empty() && refused_ == ReadingStatus::kOk) trouble_.reset();
  std::vector<Repetitions> readings;
  for (const Counted& w : work) readings.push_back({CollectOne(w)});
  return readings;
}

std::vector<Reading> SassCollector::CollectOne(const Counted& work) {
  function_.clear();
  instructions_.clear();
  std::vector<Reading> readings;
  for (const MetricDefinition& m : metrics_) readings.push_back({m, std::nullopt, ReadingStatus::kUnsupported});
  std::map<std::string, std::uint64_t> ids;
  const auto refuse = [&](ReadingStatus status) {
    for (Reading& r : readings)
      if (ids.empty() || ids.contains(r.metric.cupti_name)) r = {r.metric, std::nullopt, status};
    return readings;
  };
  if (refused_ != ReadingStatus::kOk) return refuse(refused_);
  try {
    const auto begin = std::chrono::steady_clock::now();
    for (const SassMetric& m : SassMetricsOn(chip_)) ids[m.name] = m.id;
    std::vector<CUpti_SassMetrics_Config> configs;
    std::map<std::uint64_t, std::string> ours;
    for (const MetricDefinition& m : metrics_)
      if (const auto found = ids.find(m.cupti_name); found != ids.end()) {
        configs.push_back({found->second, CUPTI_SASS_METRICS_OUTPUT_GRANULARITY_GPU});
        ours[found->second] = m.id;
      }

    const CUcontext context = CurrentContext();
    if (work.prepare) work.prepare();  // before patching: what it launches must not be the first kernel seen
    int device = 0;
    CheckCuda(cudaGetDevice(&device), "ask for the current device");
    Counts counts;
    {
      const Configured configured(std::move(configs), static_cast<unsigned>(device));
      const Patched patched(context);
      work.launch();
      CheckCuda(cudaDeviceSynchronize(), "run the patched kernel");
      // Before Disable: what is not flushed by then is dropped.
      counts = Flush(context, ours);
    }
    function_ = counts.function;
    instructions_ = counts.by_instruction.Records();
    for (InstructionRecord& i : instructions_) {
      i.opcode = modules_.Opcode(i.function, i.pc_offset);
      if (const auto line = modules_.Find(i.function, i.pc_offset)) {
        i.source_file = line->file;
        i.source_line = line->line;
      }
    }
    for (Reading& r : readings) {
      const auto id = ids.find(r.metric.cupti_name);
      if (id == ids.end()) continue;
      // A metric of instructions that the kernel does not have has no record: with every instruction patched, that is a
      // count of 0.
      const auto count = counts.by_metric.find(id->second);
      r = {r.metric, count != counts.by_metric.end() ? count->second : 0.0, ReadingStatus::kOk};
    }
    cost_.launch_s += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    ++cost_.launches;
    cost_.passes = 1;
    return readings;
  } catch (const CuptiError& e) {
    trouble_ = e.code() == CUPTI_ERROR_OUT_OF_MEMORY ? Warning{"sass_failed",
                                                               "CUPTI counts one kernel per process, and this process "
                                                               "has counted one: exact counts were not read"}
                                                     : Explain(e);
    refused_ = StatusOf(e.code());
    return refuse(refused_);
  } catch (const Error& e) {
    trouble_ = Warning{"sass_failed", std::string(e.what()) + ": exact counts were not read"};
    return refuse(ReadingStatus::kFailed);
  }
}

}  // namespace culprit
