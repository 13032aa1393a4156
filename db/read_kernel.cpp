// SPDX-License-Identifier: Apache-2.0
// Reads launches with everything stored about them.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "db/database_impl.h"
#include "db/fields.h"

namespace culprit {
namespace {

std::vector<Sample> LoadSamples(Connection& connection, LaunchId launch) {
  static const std::string sql = SelectText("sample") + " WHERE launch_id = ? ORDER BY seq";
  return connection.Prepared(sql).Bind(launch).All<Sample>();
}

std::map<std::string, double> MeanBytes(const std::map<std::string, std::map<int, double>>& accesses) {
  std::map<std::string, double> means;
  for (const auto& [memory, by_bytes] : accesses) {
    double bytes = 0, all = 0;
    for (const auto& [width, count] : by_bytes) {
      bytes += width * count;
      all += count;
    }
    if (all > 0) means[memory] = bytes / all;
  }
  return means;
}

struct Whose {
  RunId run = 0;
  std::int64_t stage = 0;
};

Whose LoadLaunch(Connection& connection, LaunchId id, KernelRecord& kernel) {
  Lease row = connection.Prepared(SelectText("launch") + " WHERE id = ?");
  if (!row.Bind(id).Step())
    throw Error(
        fmt::format("there is no launch {} in {}: see 'culprit query @ladder'", id, connection.file().string()));
  kernel.id = id;
  row.Read(kernel.launch);
  return {row.Integer(At("launch", "run_id")), row.Integer(At("launch", "stage_id"))};
}

// `kernel` must have its run and launch.
void LoadBuild(Connection& connection, std::int64_t stage, KernelRecord& kernel) {
  Lease build =
      connection.Prepared("SELECT id, cubin_digest FROM build WHERE run_id = ? AND stage_id = ? AND arch = ?");
  if (!build.Bind(kernel.run.id, stage, kernel.launch.arch).Step()) return;
  kernel.attributes = LoadAttributes(connection, build.Integer(0));
  kernel.cubin_digest = build.Text(1);
}

// All metrics in the order of readings, so that thousands of readings need no join and no sorting by text.
class Dictionary {
 public:
  explicit Dictionary(Connection& connection) {
    Lease row = connection.Prepared(
        "SELECT id, key, source, cupti_name, unit, meaning FROM metric ORDER BY key, source, cupti_name");
    while (row.Step()) {
      places_[row.Integer(0)] = metrics_.size();
      metrics_.push_back({row.Text(1), row.Text(2), row.Text(3), row.Text(4), row.Text(5)});
    }
  }

  std::vector<Reading> LoadReadings(Connection& connection, LaunchId launch) const {
    struct Value {
      std::size_t place;
      std::optional<double> value;
      ReadingStatus status;
      std::optional<double> error;
    };
    Lease row = connection.Prepared("SELECT metric_id, value, status, error FROM metric_value WHERE launch_id = ?");
    row.Bind(launch);
    constexpr const NumberRange& range = RangeOf("metric_value", "value");
    constexpr const NumberRange& error_range = RangeOf("metric_value", "error");
    std::vector<Value> values;
    while (row.Step())
      if (const auto place = places_.find(row.Integer(0)); place != places_.end())  // like an inner join
        values.push_back({place->second, row.MaybeReal(1, range),
                          row.IsNull(1) ? KindNamed<ReadingStatus>(row.Text(2)).value_or(ReadingStatus::kFailed)
                                        : ReadingStatus::kOk,
                          row.MaybeReal(3, error_range)});
    std::ranges::sort(values, {}, &Value::place);
    std::vector<Reading> readings;
    readings.reserve(values.size());
    for (const Value& v : values) readings.push_back({metrics_[v.place], v.value, v.status, v.error});
    return readings;
  }

  std::string_view KeyOf(std::int64_t metric) const {
    const auto place = places_.find(metric);
    return place == places_.end() ? std::string_view() : metrics_[place->second].id;
  }

 private:
  std::vector<MetricDefinition> metrics_;
  std::unordered_map<std::int64_t, std::size_t> places_;
};

// Metrics that count accesses of one width, in bytes per thread.
constexpr std::pair<std::string_view, int> kWidths[] = {{"sass_memory_8b_inst", 1},
                                                        {"sass_memory_16b_inst", 2},
                                                        {"sass_memory_32b_inst", 4},
                                                        {"sass_memory_64b_inst", 8},
                                                        {"sass_memory_128b_inst", 16}};

// As KernelRecord::accesses names it; empty: neither.
std::string MemoryOf(std::string_view opcode) {
  if (opcode == "LDS" || opcode == "STS" || opcode == "LDSM" || opcode == "STSM") return "shared";
  if (opcode == "LDG" || opcode == "STG" || opcode == "LDGSTS") return "global";
  return "";
}

// Instructions that never ran have no count; they do not matter when others have one.
void AddInstructionSums(Connection& connection, const Dictionary& dictionary, KernelRecord& kernel) {
  Lease row = connection.Prepared(
      "SELECT metric_id, opcode, value FROM instruction CROSS JOIN instruction_value ON instruction_id = "
      "instruction.id WHERE launch_id = ? AND opcode <> ''");
  row.Bind(kernel.id);
  while (row.Step()) {
    const std::string_view metric = dictionary.KeyOf(row.Integer(0));
    const auto width = std::ranges::find(kWidths, metric, &std::pair<std::string_view, int>::first);
    const bool are_executions = metric == "sass_inst";
    if (!are_executions && width == std::end(kWidths)) continue;
    const std::string opcode = row.Text(1);
    const double count = row.Real(2, RangeOf("instruction_value", "value"));
    if (are_executions) {
      kernel.barriers = kernel.barriers.value_or(0) + (opcode == "BAR" ? count : 0);
    } else if (count > 0) {
      // Where widths were counted, a memory that no instruction names has no accesses.
      for (const char* memory : {"shared", "global"}) kernel.accesses.try_emplace(memory);
      if (const std::string memory = MemoryOf(opcode); !memory.empty()) kernel.accesses[memory][width->second] += count;
    }
  }
  kernel.access_bytes = MeanBytes(kernel.accesses);
}

bool HasSharedAtomics(std::span<const Reading> readings) {
  return std::ranges::any_of(readings, [](const Reading& r) {
    return (r.metric.id == "shared_atom_inst" || r.metric.id == "shared_atom_wavefronts") && r.value.value_or(0) > 0;
  });
}

// Reads data that launches share only once: of a run, of a stage, of all metrics.
class Loader {
 public:
  Loader(Connection& connection, std::function<void(RunId)> require_intact)
      : connection_(connection), require_intact_(std::move(require_intact)), dictionary_(connection) {}

  KernelRecord Load(LaunchId id) {
    KernelRecord kernel;
    const auto [run, stage] = LoadLaunch(connection_, id, kernel);
    const auto [known_run, is_new_run] = runs_.try_emplace(run);
    if (is_new_run) {
      require_intact_(run);
      known_run->second = {LoadRun(connection_, run), WarningsOf(connection_, run)};
    }
    const auto [known_stage, is_new_stage] = stages_.try_emplace({run, stage});
    if (is_new_stage) known_stage->second = LoadStage(connection_, run, stage);
    kernel.run = known_run->second.summary;
    kernel.stage = known_stage->second;
    kernel.launch.stage = kernel.stage.id;
    kernel.samples = LoadSamples(connection_, id);
    kernel.readings = dictionary_.LoadReadings(connection_, id);
    LoadBuild(connection_, stage, kernel);
    kernel.warnings = known_run->second.warnings.Of(id);
    kernel.interventions = LoadInterventions(connection_, id);
    kernel.program = LoadProgramLaunch(connection_, id);
    AddInstructionSums(connection_, dictionary_, kernel);
    if (HasSharedAtomics(kernel.readings)) kernel.swap_loads = LoadSwapLoads(connection_, id);
    return kernel;
  }

 private:
  struct Run {
    RunSummary summary;
    WarningsOf warnings;
  };

  Connection& connection_;
  const std::function<void(RunId)> require_intact_;
  Dictionary dictionary_;
  std::map<RunId, Run> runs_;
  std::map<std::pair<RunId, std::int64_t>, StageRecord> stages_;
};

}  // namespace

std::vector<KernelRecord> Database::Impl::Load(std::span<const LaunchId> launches, Repeats repeats) {
  const ReadSnapshot snapshot(connection);
  Loader loader(connection, [this](RunId run) { RequireIntact(run); });
  std::vector<KernelRecord> kernels;
  kernels.reserve(launches.size());
  for (const LaunchId launch : launches) {
    kernels.push_back(loader.Load(launch));
    if (repeats == Repeats::kRead) kernels.back().repeats = LoadRepeats(connection, launch);
  }
  return kernels;
}

std::vector<KernelRecord> Database::LoadKernels(RunId run, Ordinals ordinals) const {
  const std::vector<LaunchId> launches = Launches(run, "", ordinals);
  return SayingOf(impl_->connection, run, "read the launches of a run",
                  [&] { return impl_->Load(launches, Repeats::kLeftOut); });
}

std::vector<KernelRecord> Database::LoadKernels(std::span<const LaunchId> launches) const {
  return Saying(impl_->connection.file(), "read the launches of a run",
                [&] { return impl_->Load(launches, Repeats::kRead); });
}

KernelRecord Database::LoadKernel(LaunchId launch) const {
  return SayingOf(impl_->connection, RunOf(impl_->connection, launch), fmt::format("read launch {}", launch), [&] {
    return std::move(impl_->Load({&launch, 1}, Repeats::kRead).front());
  });
}

}  // namespace culprit
