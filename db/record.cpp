// SPDX-License-Identifier: Apache-2.0
// Stores runs, launches, samples and warnings: each call is one transaction.
#include <fmt/format.h>

#include "db/checksum.h"
#include "db/database_impl.h"
#include "db/failure.h"
#include "db/process.h"
#include "db/read.h"
#include "db/rows.h"
#include "db/run_stage.h"
#include "db/sampled_counters.h"

namespace culprit {
namespace {

// Refuses gaps, because readers use the first launch of a stage at a shape.
void CheckOrdinal(Connection& connection, RunId run, std::int64_t stage, const LaunchRecord& launch) {
  if (launch.ordinal == 0) return;
  Lease row =
      connection.Prepared("SELECT 1 FROM launch WHERE run_id = ? AND stage_id = ? AND shape = ? AND ordinal = ? - 1");
  if (!row.Bind(run, stage, launch.shape, launch.ordinal).Step())
    throw Error(fmt::format("cannot store launch {} of '{}' at {}: store launch {} of it first", launch.ordinal,
                            launch.stage, launch.shape, launch.ordinal - 1));
}

}  // namespace

RunId Database::BeginRun(const RunRecord& run) {
  RunId id = 0;
  impl_->Write("begin a run", [&](Connection& connection) {
    if (run.uuid.empty()) throw Error("cannot begin a run without a UUID: it is the key under which databases merge");
    std::optional<std::int64_t> device;
    if (run.device) device = RowWith(connection, "device", Fields(*run.device)).id;
    const std::int64_t toolchain = RowWith(connection, "toolchain", Fields(run.toolchain)).id;
    const std::optional<std::string> not_finished;
    const ProcessStamp process = ThisProcess();
    const bool samples_counters = run.profile == kSampledSource;
    const std::string replayed = samples_counters ? "none" : run.profile;
    InsertRow(connection, "run", run.uuid, run.started_utc, not_finished, run.label, run.command_line, replayed, run.l2,
              run.seed, run.git_sha, run.git_dirty, process.boot_id, process.pid, process.start, device, toolchain,
              samples_counters, run.gpu_uuids);
    id = connection.LastRowId();
  });
  return id;
}

void Database::FinishRun(RunId run, const std::string& finished_utc) {
  impl_->Write("finish a run", [&](Connection& connection) {
    connection
        .Prepared(
            "UPDATE run SET finished_utc = ifnull(nullif(?, ''), strftime('%Y-%m-%dT%H:%M:%SZ', 'now')) WHERE id = ?")
        .Bind(finished_utc, run)
        .Run();
    if (connection.sqlite().getChanges() == 0)
      throw Error(fmt::format("cannot finish run {}: there is no such run", run));
    Seal(connection, run);
  });
  // Moves pages to the main file and syncs it, as far as readers allow. If this fails, the data are safe in the WAL.
  impl_->connection.sqlite().tryExec("PRAGMA wal_checkpoint(PASSIVE)");
}

LaunchId Database::StoreLaunch(RunId run, const LaunchRecord& launch, std::span<const Sample> samples) {
  LaunchId id = 0;
  impl_->Write("store a launch", [&](Connection& connection) {
    const std::int64_t stage = StageOfRun(connection, run, launch.stage);
    // Also deletes everything measured of the launch.
    connection.Prepared("DELETE FROM launch WHERE run_id = ? AND stage_id = ? AND shape = ? AND ordinal = ?")
        .Bind(run, stage, launch.shape, launch.ordinal)
        .Run();
    CheckOrdinal(connection, run, stage, launch);
    if (const auto& error = launch.verify_error_over_bound)  // unlike a measurement it must not get lost
      AsStored(*error, &RangeOf("launch", "verify_error_over_bound"));
    InsertRow(connection, "launch", run, stage, Fields(launch));
    id = connection.LastRowId();
    int seq = 0;
    for (const Sample& sample : samples) InsertRow(connection, "sample", id, seq++, Fields(sample));
  });
  return id;
}

void Database::StoreMachine(RunId run, std::span<const MachineFigure> figures) {
  impl_->Write("store what the GPU can do", [&](Connection& connection) {
    connection.Prepared("DELETE FROM machine_figure WHERE run_id = ?").Bind(run).Run();
    const std::string uuid = LoadRun(connection, run).run.uuid;
    for (const MachineFigure& f : figures)
      InsertRow(connection, "machine_figure", run, Fields(f), f.measured_in.empty() ? uuid : f.measured_in);
  });
}

std::vector<MachineFigure> Database::FindMachine(RunId run) const {
  Connection& connection = impl_->connection;
  return Saying(connection.file(), "look for what the GPU can do", [&] {
    Lease row = connection.Prepared(
        "SELECT other.id FROM run JOIN run AS other ON other.device_id = run.device_id AND other.boot_id = run.boot_id "
        "AND other.toolchain_id = run.toolchain_id WHERE run.id = ? AND other.id <> run.id AND run.boot_id <> '' AND "
        "EXISTS (SELECT 1 FROM machine_figure WHERE run_id = other.id) ORDER BY other.id DESC LIMIT 1");
    if (!row.Bind(run).Step()) return std::vector<MachineFigure>();
    return LoadMachine(connection, row.Integer(0));
  });
}

void Database::StoreWarning(RunId run, std::optional<LaunchId> launch, const Warning& warning) {
  impl_->Write("store a warning", [&](Connection& connection) {
    InsertRow(connection, "warning", run, launch, warning.code, warning.text);
  });
}

}  // namespace culprit
