// SPDX-License-Identifier: Apache-2.0
// One launch with everything stored about it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>

#include "db/database_impl.h"
#include "db/failure.h"
#include "db/read.h"

namespace culprit {
namespace {

LaunchState StateOf(std::string_view text) {
  for (const auto state : {LaunchState::kOk, LaunchState::kRefused})
    if (text == ToText(state)) return state;
  return LaunchState::kFailed;
}

std::vector<Sample> LoadSamples(Connection& connection, LaunchId launch) {
  static const std::string sql = SelectText("sample") + " WHERE launch_id = ? ORDER BY seq";
  Lease row = connection.Prepared(sql);
  row.Bind(launch);
  std::vector<Sample> samples;
  while (row.Step())
    samples.push_back({row.Int(At("sample", "repetition")), row.Real(At("sample", "time_us")),
                       row.MaybeReal(At("sample", "clock_mhz")), row.Int(At("sample", "low_clock")) != 0,
                       row.Int(At("sample", "gate_open")) != 0, row.Int(At("sample", "process"))});
  return samples;
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

LaunchRecord LaunchOf(const Lease& row) {
  LaunchRecord launch;
  launch.arch = row.Text(At("launch", "arch"));
  launch.shape = row.Text(At("launch", "shape"));
  launch.ordinal = row.Int(At("launch", "ordinal"));
  launch.kernel = row.Text(At("launch", "kernel"));
  launch.grid_x = static_cast<unsigned>(row.Integer(At("launch", "grid_x")));
  launch.grid_y = static_cast<unsigned>(row.Integer(At("launch", "grid_y")));
  launch.grid_z = static_cast<unsigned>(row.Integer(At("launch", "grid_z")));
  launch.block_x = static_cast<unsigned>(row.Integer(At("launch", "block_x")));
  launch.block_y = static_cast<unsigned>(row.Integer(At("launch", "block_y")));
  launch.block_z = static_cast<unsigned>(row.Integer(At("launch", "block_z")));
  launch.dynamic_shared_bytes = row.Integer(At("launch", "dynamic_shared_bytes"));
  launch.flop = row.Real(At("launch", "flop"));
  launch.min_bytes = row.Real(At("launch", "min_bytes"));
  launch.state = StateOf(row.Text(At("launch", "state")));
  launch.message = row.Text(At("launch", "message"));
  launch.verify_error_over_bound = row.MaybeReal(At("launch", "verify_error_over_bound"));
  launch.verify_reference = row.Text(At("launch", "verify_reference"));
  return launch;
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
  kernel.launch = LaunchOf(row);
  return {row.Integer(At("launch", "run_id")), row.Integer(At("launch", "stage_id"))};
}

// `kernel` has its run and launch.
void LoadBuild(Connection& connection, std::int64_t stage, KernelRecord& kernel) {
  Lease build =
      connection.Prepared("SELECT id, cubin_digest FROM build WHERE run_id = ? AND stage_id = ? AND arch = ?");
  if (!build.Bind(kernel.run.id, stage, kernel.launch.arch).Step()) return;
  kernel.attributes = LoadAttributes(connection, build.Integer(0));
  kernel.cubin_digest = build.Text(1);
}

// All metrics in the order of readings, so that a run's thousands of readings need no join and no sorting by text.
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
    };
    Lease row = connection.Prepared("SELECT metric_id, value, status FROM metric_value WHERE launch_id = ?");
    row.Bind(launch);
    constexpr const NumberRange& range = RangeOf("metric_value", "value");
    std::vector<Value> values;
    while (row.Step())
      if (const auto place = places_.find(row.Integer(0)); place != places_.end())  // as a join would have it
        values.push_back(
            {place->second, row.MaybeReal(1, range), row.IsNull(1) ? StatusOf(row.Text(2)) : ReadingStatus::kOk});
    std::ranges::sort(values, {}, &Value::place);
    std::vector<Reading> readings;
    readings.reserve(values.size());
    for (const Value& v : values) readings.push_back({metrics_[v.place], v.value, v.status});
    return readings;
  }

 private:
  std::vector<MetricDefinition> metrics_;
  std::unordered_map<std::int64_t, std::size_t> places_;
};

// Ids that a statement need not look beyond.
struct IdRange {
  std::int64_t least = std::numeric_limits<std::int64_t>::max(), most = std::numeric_limits<std::int64_t>::min();
};

// Bytes that a thread names in an access, by the metrics that count accesses of that width.
struct WidthMetrics {
  std::unordered_map<std::int64_t, int> bytes;
  IdRange ids;
};

WidthMetrics LoadWidthMetrics(Connection& connection) {
  WidthMetrics metrics;
  Lease row = connection.Prepared(
      "SELECT id, CASE key WHEN 'sass_memory_8b_inst' THEN 1 WHEN 'sass_memory_16b_inst' THEN 2 "
      "WHEN 'sass_memory_32b_inst' THEN 4 WHEN 'sass_memory_64b_inst' THEN 8 ELSE 16 END FROM metric "
      "WHERE key IN ('sass_memory_8b_inst', 'sass_memory_16b_inst', 'sass_memory_32b_inst', 'sass_memory_64b_inst', "
      "'sass_memory_128b_inst')");
  while (row.Step()) {
    const std::int64_t id = row.Integer(0);
    metrics.bytes[id] = row.Int(1);
    metrics.ids = {std::min(metrics.ids.least, id), std::max(metrics.ids.most, id)};
  }
  return metrics;
}

constexpr std::array<const char*, 2> kMemories = {"shared", "global"};

// Which of kMemories, if any.
std::optional<std::size_t> MemoryOf(std::string_view opcode) {
  if (opcode == "LDS" || opcode == "STS" || opcode == "LDSM" || opcode == "STSM") return 0;
  if (opcode == "LDG" || opcode == "STG" || opcode == "LDGSTS") return 1;
  return std::nullopt;
}

using KernelsById = std::unordered_map<LaunchId, KernelRecord*>;

IdRange InstructionsOf(Connection& connection, const KernelsById& kernels) {
  IdRange range;
  for (const auto& [id, kernel] : kernels) {
    Lease row = connection.Prepared("SELECT min(id), max(id) FROM instruction WHERE launch_id = ?");
    if (row.Bind(id).Step() && !row.IsNull(0))
      range = {std::min(range.least, row.Integer(0)), std::max(range.most, row.Integer(1))};
  }
  return range;
}

// An instruction that never ran has no count, but then no instruction of the kernel that did has one either.
void AddBarriers(Connection& connection, const IdRange& instructions, const KernelsById& kernels) {
  for (const auto& [id, kernel] : kernels) {
    Lease row = connection.Prepared(
        "SELECT 1 FROM instruction CROSS JOIN instruction_value ON instruction_id = instruction.id "
        "WHERE launch_id = ? AND opcode <> '' AND metric_id IN (SELECT id FROM metric WHERE key = 'sass_inst') LIMIT "
        "1");
    if (row.Bind(id).Step()) kernel->barriers = 0;
  }
  Lease row = connection.Prepared(
      "SELECT launch_id, value FROM instruction CROSS JOIN instruction_value ON instruction_id = instruction.id "
      "WHERE instruction.id BETWEEN ? AND ? AND opcode = 'BAR' "
      "AND metric_id IN (SELECT id FROM metric WHERE key = 'sass_inst')");
  row.Bind(instructions.least, instructions.most);
  while (row.Step())
    if (const auto kernel = kernels.find(row.Integer(0)); kernel != kernels.end()) {
      std::optional<double>& barriers = kernel->second->barriers;
      barriers = barriers.value_or(0) + row.Real(1, RangeOf("instruction_value", "value"));
    }
}

// Widths of any memory were counted: what has no instruction of kMemories then has no access to them.
void AddAccesses(Connection& connection, const IdRange& instructions, const KernelsById& kernels) {
  struct Accesses {
    bool counted = false;
    std::array<std::array<double, 17>, kMemories.size()> by_bytes = {};
  };
  const WidthMetrics widths = LoadWidthMetrics(connection);
  std::unordered_map<LaunchId, Accesses> launches;
  for (const auto& [id, kernel] : kernels) launches[id] = {};
  Lease row = connection.Prepared(
      "SELECT launch_id, opcode, metric_id, value FROM instruction "
      "CROSS JOIN instruction_value ON instruction_id = instruction.id "
      "WHERE instruction.id BETWEEN ? AND ? AND metric_id BETWEEN ? AND ? AND opcode <> ''");
  row.Bind(instructions.least, instructions.most, widths.ids.least, widths.ids.most);
  while (row.Step()) {
    const auto width = widths.bytes.find(row.Integer(2));
    const auto launch = launches.find(row.Integer(0));
    if (width == widths.bytes.end() || launch == launches.end()) continue;
    const double value = row.Real(3, RangeOf("instruction_value", "value"));
    if (!(value > 0)) continue;
    launch->second.counted = true;
    if (const auto memory = MemoryOf(row.Text(1))) launch->second.by_bytes[*memory][width->second] += value;
  }
  for (const auto& [id, accesses] : launches) {
    KernelRecord& kernel = *kernels.at(id);
    for (std::size_t memory = 0; accesses.counted && memory < kMemories.size(); ++memory) {
      std::map<int, double>& counts = kernel.accesses[kMemories[memory]];
      for (std::size_t bytes = 1; bytes < accesses.by_bytes[memory].size(); ++bytes)
        if (const double count = accesses.by_bytes[memory][bytes]; count > 0) counts[static_cast<int>(bytes)] = count;
    }
    kernel.access_bytes = MeanBytes(kernel.accesses);
  }
}

// A run's instructions were stored one after the other, with few of other runs between them: to go through the ids
// between its first and its last, in the order of the table, is less work than to look for those of each launch.
void AddInstructionSums(Connection& connection, std::span<KernelRecord> kernels) {
  KernelsById by_id;
  for (KernelRecord& kernel : kernels) by_id[kernel.id] = &kernel;
  const IdRange instructions = InstructionsOf(connection, by_id);
  AddBarriers(connection, instructions, by_id);
  AddAccesses(connection, instructions, by_id);
}

}  // namespace

namespace {

using RequireIntact = std::function<void(RunId)>;

// What launches share is read once, however many they are: of a run, of a stage, of all metrics.
class Loader {
 public:
  Loader(Connection& connection, const RequireIntact& require_intact)
      : connection_(connection), require_intact_(require_intact), dictionary_(connection) {}

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
    return kernel;
  }

 private:
  struct Run {
    RunSummary summary;
    WarningsOf warnings;
  };

  Connection& connection_;
  const RequireIntact& require_intact_;
  Dictionary dictionary_;
  std::map<RunId, Run> runs_;
  std::map<std::pair<RunId, std::int64_t>, StageRecord> stages_;
};

enum class Repeats { kLeftOut, kRead };

std::vector<KernelRecord> Load(Connection& connection, const RequireIntact& require_intact,
                               std::span<const LaunchId> launches, Repeats repeats) {
  const ReadSnapshot snapshot(connection);
  Loader loader(connection, require_intact);
  std::vector<KernelRecord> kernels;
  kernels.reserve(launches.size());
  for (const LaunchId launch : launches) {
    kernels.push_back(loader.Load(launch));
    if (repeats == Repeats::kRead) kernels.back().repeats = LoadRepeats(connection, launch);
  }
  AddInstructionSums(connection, kernels);
  return kernels;
}

}  // namespace

std::vector<KernelRecord> Database::LoadKernels(RunId run, Ordinals ordinals) const {
  Connection& connection = impl_->connection;
  const RequireIntact intact = [this](RunId of) { impl_->RequireIntact(of); };
  const std::vector<LaunchId> launches = Launches(run, "", ordinals);
  return SayingOf(connection, run, "read the launches of a run",
                  [&] { return Load(connection, intact, launches, Repeats::kLeftOut); });
}

std::vector<KernelRecord> Database::LoadKernels(std::span<const LaunchId> launches) const {
  Connection& connection = impl_->connection;
  const RequireIntact intact = [this](RunId of) { impl_->RequireIntact(of); };
  return Saying(connection.file(), "read the launches of a run",
                [&] { return Load(connection, intact, launches, Repeats::kRead); });
}

KernelRecord Database::LoadKernel(LaunchId launch) const {
  Connection& connection = impl_->connection;
  const RequireIntact intact = [this](RunId of) { impl_->RequireIntact(of); };
  return SayingOf(connection, RunOf(connection, launch), fmt::format("read launch {}", launch), [&] {
    return std::move(Load(connection, intact, {&launch, 1}, Repeats::kRead).front());
  });
}

}  // namespace culprit
