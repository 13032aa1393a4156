// SPDX-License-Identifier: Apache-2.0
// Runs, launches, samples, warnings: each call is one transaction.
#include <fmt/format.h>

#include "db/checksum.h"
#include "db/database_impl.h"
#include "db/failure.h"
#include "db/process.h"
#include "db/read.h"
#include "db/rows.h"
#include "db/run_stage.h"

namespace culprit {
namespace {

std::int64_t RowOf(Connection& connection, const Device& d) {
  return RowWith(connection, "device", d.name, d.chip, d.cc_major, d.cc_minor, d.sm_count, d.fp32_lanes_per_sm,
                 d.sm_clock_mhz, d.dram_bytes_per_s, d.memory_bytes, d.l2_bytes, d.shared_bytes_per_sm,
                 d.registers_per_sm, d.max_threads_per_sm, d.max_blocks_per_sm)
      .id;
}

std::int64_t RowOf(Connection& connection, const Toolchain& t) {
  return RowWith(connection, "toolchain", t.driver, t.cuda_driver_api, t.cuda_runtime, t.cupti, t.nvcc, t.host_compiler)
      .id;
}

// Else the first launch of a stage at a shape, which is what readers take, might be missing.
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
  Connection& connection = impl_->connection;
  return Saying(connection.file(), "begin a run", [&] {
    if (run.uuid.empty()) throw Error("cannot begin a run without a UUID: it is the key under which databases merge");
    WriteTransaction transaction(connection);
    std::optional<std::int64_t> device;
    if (run.device) device = RowOf(connection, *run.device);
    const std::int64_t toolchain = RowOf(connection, run.toolchain);
    const std::optional<std::string> not_finished;
    const ProcessStamp process = ThisProcess();
    InsertRow(connection, "run", run.uuid, run.started_utc, not_finished, run.label, run.command_line, run.profile,
              run.l2, run.seed, run.git_sha, run.git_dirty, process.boot_id, process.pid, process.start, device,
              toolchain);
    const RunId id = connection.LastRowId();
    transaction.Commit();
    return id;
  });
}

void Database::FinishRun(RunId run, const std::string& finished_utc) {
  Connection& connection = impl_->connection;
  Saying(connection.file(), "finish a run", [&] {
    WriteTransaction transaction(connection);
    connection
        .Prepared(
            "UPDATE run SET finished_utc = ifnull(nullif(?, ''), strftime('%Y-%m-%dT%H:%M:%SZ', 'now')) WHERE id = ?")
        .Bind(finished_utc, run)
        .Run();
    if (connection.sqlite().getChanges() == 0)
      throw Error(fmt::format("cannot finish run {}: there is no such run", run));
    Seal(connection, run);
    transaction.Commit();
  });
  // Moves everything into the main file and syncs it, as far as readers allow. What fails here is safe in the WAL.
  connection.sqlite().tryExec("PRAGMA wal_checkpoint(PASSIVE)");
}

LaunchId Database::StoreLaunch(RunId run, const LaunchRecord& launch, std::span<const Sample> samples) {
  Connection& connection = impl_->connection;
  return Saying(connection.file(), "store a launch", [&] {
    WriteTransaction transaction(connection);
    const std::int64_t stage = StageOfRun(connection, run, launch.stage);
    // Everything measured of the launch goes with it.
    connection.Prepared("DELETE FROM launch WHERE run_id = ? AND stage_id = ? AND shape = ? AND ordinal = ?")
        .Bind(run, stage, launch.shape, launch.ordinal)
        .Run();
    CheckOrdinal(connection, run, stage, launch);
    InsertRow(connection, "launch", run, stage, launch.arch, launch.shape, launch.ordinal, launch.kernel, launch.grid_x,
              launch.grid_y, launch.grid_z, launch.block_x, launch.block_y, launch.block_z, launch.dynamic_shared_bytes,
              launch.flop, launch.min_bytes, ToText(launch.state), launch.message, launch.verify_error_over_bound,
              launch.verify_reference);
    const LaunchId id = connection.LastRowId();
    int seq = 0;
    Lease insert = connection.Prepared(InsertText("sample"));
    for (const Sample& sample : samples) {
      const std::optional<double> clock_mhz = Measurement(sample.clock_mhz, RangeOf("sample", "clock_mhz"));
      const auto store = [&](const auto&... values) {
        CheckRow("sample", values...);
        insert.Bind(values...).Run();
      };
      store(id, seq++, sample.repetition, sample.time_us, clock_mhz, sample.low_clock, sample.gate_open,
            sample.process);
    }
    transaction.Commit();
    return id;
  });
}

void Database::StoreMachine(RunId run, std::span<const MachineFigure> figures) {
  Connection& connection = impl_->connection;
  Saying(connection.file(), "store what the GPU can do", [&] {
    WriteTransaction transaction(connection);
    connection.Prepared("DELETE FROM machine_figure WHERE run_id = ?").Bind(run).Run();
    const std::string uuid = LoadRun(connection, run).run.uuid;
    for (const MachineFigure& f : figures)
      InsertRow(connection, "machine_figure", run, f.name, f.setting, f.value, f.unit,
                f.measured_in.empty() ? uuid : f.measured_in);
    transaction.Commit();
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
  Connection& connection = impl_->connection;
  Saying(connection.file(), "store a warning", [&] {
    WriteTransaction transaction(connection);
    InsertRow(connection, "warning", run, launch, warning.code, warning.text);
    transaction.Commit();
  });
}

}  // namespace culprit
