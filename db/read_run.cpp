// SPDX-License-Identifier: Apache-2.0
// Reads runs and their sizes.
#include <fmt/format.h>

#include <algorithm>

#include "db/checksum.h"
#include "db/database_impl.h"
#include "db/fields.h"
#include "db/process.h"
#include "db/sampled_counters.h"
#include "db/shape_text.h"

namespace culprit {
namespace {

// The row that another row refers to. `what` as in "a device".
template <class Record>
Record LoadReferred(Connection& connection, std::int64_t id, std::string_view what) {
  Lease row = connection.Prepared(SelectText(kFirst<Record>.column->table()) + " WHERE id = ?");
  row.Bind(id).NeedRow(what);
  Record record;
  row.Read(record);
  return record;
}

int CountOf(Connection& connection, std::string_view sql, RunId run) {
  Lease row = connection.Prepared(sql);
  row.Bind(run).Step();
  return row.Int(0);
}

}  // namespace

std::vector<MachineFigure> LoadMachine(Connection& connection, RunId run) {
  Lease row = connection.Prepared(SelectText("machine_figure") + " WHERE run_id = ? ORDER BY name, setting");
  row.Bind(run);
  std::vector<MachineFigure> figures;
  while (row.Step()) {
    row.Read(figures.emplace_back());
    figures.back().measured_in = row.Text(At("machine_figure", "measured_in"));
  }
  return figures;
}

namespace {

// Reads the run's own row first, so that it is available even when the rest throws.
void Load(Connection& connection, RunId run, RunSummary& summary) {
  {
    Lease row = connection.Prepared(SelectText("run") + " WHERE id = ?");
    if (!row.Bind(run).Step())
      throw Error(fmt::format("there is no run {} in {}: see 'culprit runs'", run, connection.file().string()));
    summary.id = run;
    RunRecord& r = summary.run;
    ProcessStamp recorder;
    std::optional<std::int64_t> device;
    std::int64_t toolchain = 0;
    bool samples_counters = false;
    row.Read(At("run", "uuid"),
             std::tie(r.uuid, r.started_utc, summary.finished_utc, r.label, r.command_line, r.profile, r.l2, r.seed,
                      r.git_sha, r.git_dirty, recorder.boot_id, recorder.pid, recorder.start, device, toolchain,
                      samples_counters, r.gpu_uuids));
    if (samples_counters) r.profile = kSampledSource;
    summary.state = summary.finished_utc ? "complete" : IsAlive(recorder) ? "running" : "interrupted";
    if (device) r.device = LoadReferred<Device>(connection, *device, "a device");
    r.toolchain = LoadReferred<Toolchain>(connection, toolchain, "a toolchain");
  }
  summary.run.machine = LoadMachine(connection, run);
  summary.run.program = LoadProgram(connection, run);
  summary.launches = CountOf(connection, "SELECT count(*) FROM launch WHERE run_id = ?", run);
  summary.failed = CountOf(connection, "SELECT count(*) FROM launch WHERE run_id = ? AND state = 'failed'", run);
  summary.samples =
      CountOf(connection,
              "SELECT count(*) FROM launch CROSS JOIN sample ON sample.launch_id = launch.id WHERE run_id = ?", run);
  summary.metric_values = CountOf(
      connection,
      "SELECT count(*) FROM launch CROSS JOIN metric_value ON metric_value.launch_id = launch.id WHERE run_id = ?",
      run);
}

std::vector<RunId> NewestFirst(Connection& connection) {
  return connection.Prepared("SELECT id FROM run ORDER BY started_utc DESC, id DESC").Integers();
}

// All runs, newest first; `damage` is empty for intact ones.
std::vector<ListedRun> LoadRuns(Connection& connection) {
  return Saying(connection.file(), "list the runs", [&] {
    std::vector<ListedRun> runs;
    for (const RunId id : NewestFirst(connection)) {
      ListedRun& any = runs.emplace_back();
      try {
        Load(connection, id, any.run);
      } catch (const BadRow& e) {
        any.damage = e.what();
      }
    }
    return runs;
  });
}

}  // namespace

RunId RunOf(Connection& connection, LaunchId launch) {
  Lease row = connection.Prepared("SELECT run_id FROM launch WHERE id = ?");
  return row.Bind(launch).Step() ? row.Integer(0) : 0;
}

RunSummary LoadRun(Connection& connection, RunId run) {
  RunSummary summary;
  ReadingOf(connection, run, [&] { Load(connection, run, summary); });
  return summary;
}

WarningsOf::WarningsOf(Connection& connection, RunId run) {
  Lease row = connection.Prepared(
      "SELECT warning.code, warning.text, stage.key || ' at ' || launch.shape || CASE ordinal WHEN 0 THEN '' ELSE ', "
      "launch ' || (ordinal + 1) END, launch_id FROM warning "
      "LEFT JOIN launch ON launch.id = warning.launch_id LEFT JOIN stage ON stage.id = launch.stage_id "
      "WHERE warning.run_id = ? ORDER BY warning.id");
  row.Bind(run);
  while (row.Step()) {
    const std::optional<LaunchId> launch = row.IsNull(3) ? std::nullopt : std::optional(row.Integer(3));
    places_[launch].push_back(all_.size());
    all_.push_back({row.Text(0), row.Text(1), row.Text(2)});
  }
}

std::vector<Warning> WarningsOf::Of(LaunchId launch) const {
  std::vector<std::size_t> places;
  for (const std::optional<LaunchId> about : {std::optional<LaunchId>(), std::optional(launch)})
    if (const auto found = places_.find(about); found != places_.end())
      places.insert(places.end(), found->second.begin(), found->second.end());
  std::ranges::sort(places);
  std::vector<Warning> warnings;
  for (const std::size_t place : places) warnings.push_back(all_[place]);
  return warnings;
}

std::vector<RunSummary> Database::Runs() const {
  Saying(impl_->connection.file(), "list the runs", [&] { impl_->RequireRunsThemselvesIntact(); });
  std::vector<RunSummary> runs;
  for (ListedRun& any : LoadRuns(impl_->connection))
    if (any.damage.empty()) runs.push_back(std::move(any.run));
  return runs;
}

std::vector<RunSummary> Database::RunsToChooseFrom() const {
  Connection& connection = impl_->connection;
  return Saying(connection.file(), "list the runs", [&] {
    impl_->RequireRunsThemselvesIntact();
    std::vector<RunSummary> runs;
    for (const RunId id : NewestFirst(connection)) runs.push_back(LoadRun(connection, id));
    return runs;
  });
}

std::size_t Database::CountRuns() const {
  Connection& connection = impl_->connection;
  return Saying(connection.file(), "count the runs",
                [&] { return static_cast<std::size_t>(connection.IntegerOf("SELECT count(*) FROM run")); });
}

std::vector<ListedRun> Database::ListRuns() const {
  Connection& connection = impl_->connection;
  return Saying(connection.file(), "list the runs", [&] {
    const ReadSnapshot snapshot(connection);
    std::vector<ListedRun> runs = LoadRuns(connection);
    for (ListedRun& any : runs) {
      if (!any.damage.empty()) continue;
      try {
        if (!IsIntact(connection, any.run.id))
          any.damage = "its checksum differs, so the file was damaged or edited after it was recorded";
      } catch (const BadRow& e) {
        any.damage = e.what();
      }
    }
    return runs;
  });
}

std::vector<std::string> Database::Shapes(RunId run) const {
  return impl_->Read(run, "list the shapes", [&](Connection& connection) {
    Lease row = connection.Prepared("SELECT shape, max(flop) FROM launch WHERE run_id = ? GROUP BY shape");
    row.Bind(run);
    std::vector<SizedShape> sized;
    while (row.Step()) sized.push_back({row.Text(0), row.Real(1, RangeOf("launch", "flop"))});
    std::sort(sized.begin(), sized.end(), IsLarger);
    std::vector<std::string> shapes;
    for (SizedShape& s : sized) shapes.push_back(std::move(s.shape));
    return shapes;
  });
}

std::vector<LaunchId> Database::Launches(RunId run, std::string_view shape, Ordinals ordinals,
                                         std::string_view stage) const {
  return impl_->Read(run, "list the launches", [&](Connection& connection) {
    const std::vector<std::string> spellings = Spellings(shape);
    Lease row = connection.Prepared(
        "SELECT id, shape FROM launch WHERE run_id = ?1 AND (ordinal = 0 OR ?2) AND (?3 = '' OR stage_id IN (SELECT id "
        "FROM stage WHERE key = ?3)) ORDER BY id");
    row.Bind(run, ordinals == Ordinals::kAll, stage);
    std::vector<LaunchId> launches;
    while (row.Step())
      if (shape.empty() || std::find(spellings.begin(), spellings.end(), row.Text(1)) != spellings.end())
        launches.push_back(row.Integer(0));
    return launches;
  });
}

std::vector<Warning> Database::Warnings(RunId run) const {
  return impl_->Read(run, "list the warnings",
                     [&](Connection& connection) { return WarningsOf(connection, run).All(); });
}

}  // namespace culprit
