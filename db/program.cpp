// SPDX-License-Identifier: Apache-2.0
// Runs of programs that know nothing of Culprit, and figures that other tools measured.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "db/database_impl.h"
#include "db/failure.h"
#include "db/read.h"
#include "db/rows.h"

namespace culprit {
namespace {

std::vector<ProgramCopy> LoadCopies(Connection& connection, RunId run) {
  Lease row = connection.Prepared(SelectText("program_copy") + " WHERE run_id = ? ORDER BY kind");
  row.Bind(run);
  std::vector<ProgramCopy> copies;
  while (row.Step()) {
    const std::string name = row.Text(At("program_copy", "kind"));
    const auto known = std::ranges::find(kCopyKindNames, name, &CopyKindName::name);
    if (known == std::end(kCopyKindNames)) continue;  // no constraint binds who edits a file
    copies.push_back({known->kind, row.Integer(At("program_copy", "calls")), row.Real(At("program_copy", "bytes")),
                      row.Real(At("program_copy", "time_us")), row.Real(At("program_copy", "share_us"))});
  }
  return copies;
}

}  // namespace

void Database::StoreProgram(RunId run, const ProgramRecord& program) {
  Connection& connection = impl_->connection;
  Saying(connection.file(), "store what is known of a program", [&] {
    WriteTransaction transaction(connection);
    connection.Prepared("DELETE FROM program WHERE run_id = ?").Bind(run).Run();
    connection.Prepared("DELETE FROM program_copy WHERE run_id = ?").Bind(run).Run();
    const auto time = [](const std::optional<double>& us) { return Measurement(us, RangeOf("program", "wall_us")); };
    InsertRow(connection, "program", run,
              std::ranges::find(kProgramSourceNames, program.source, &ProgramSourceName::source)->name,
              program.exit_status, program.processes, program.gpus, time(program.wall_us),
              time(program.counted_wall_us), time(program.span_us), time(program.idle_us), program.lost_launches);
    for (const ProgramCopy& copy : program.copies)
      InsertRow(connection, "program_copy", run,
                std::ranges::find(kCopyKindNames, copy.kind, &CopyKindName::kind)->name, copy.calls, copy.bytes,
                copy.time_us, copy.share_us);
    transaction.Commit();
  });
}

void Database::StoreProgramLaunch(LaunchId launch, const ProgramLaunch& program) {
  Connection& connection = impl_->connection;
  Saying(connection.file(), "store what a program's launch stands for", [&] {
    WriteTransaction transaction(connection);
    connection.Prepared("DELETE FROM program_launch WHERE launch_id = ?").Bind(launch).Run();
    InsertRow(connection, "program_launch", launch, program.name, program.nvtx, program.first, program.calls,
              Measurement(program.time_us, RangeOf("program_launch", "time_us")),
              Measurement(program.share_us, RangeOf("program_launch", "share_us")), program.graph_calls,
              program.counted, program.not_counted);
    transaction.Commit();
  });
}

std::optional<ProgramRecord> LoadProgram(Connection& connection, RunId run) {
  Lease row = connection.Prepared(SelectText("program") + " WHERE run_id = ?");
  if (!row.Bind(run).Step()) return std::nullopt;
  const std::string name = row.Text(At("program", "source"));
  const auto known = std::ranges::find(kProgramSourceNames, name, &ProgramSourceName::name);
  if (known == std::end(kProgramSourceNames)) return std::nullopt;  // no constraint binds who edits a file
  ProgramRecord program;
  program.source = known->source;
  if (!row.IsNull(At("program", "exit_status"))) program.exit_status = row.Int(At("program", "exit_status"));
  program.processes = row.Int(At("program", "processes"));
  program.gpus = row.Int(At("program", "gpus"));
  program.wall_us = row.MaybeReal(At("program", "wall_us"));
  program.counted_wall_us = row.MaybeReal(At("program", "counted_wall_us"));
  program.span_us = row.MaybeReal(At("program", "span_us"));
  program.idle_us = row.MaybeReal(At("program", "idle_us"));
  program.lost_launches = row.Integer(At("program", "lost_launches"));
  program.copies = LoadCopies(connection, run);
  return program;
}

std::optional<ProgramLaunch> LoadProgramLaunch(Connection& connection, LaunchId launch) {
  static const std::string sql = SelectText("program_launch") + " WHERE launch_id = ?";
  Lease row = connection.Prepared(sql);
  if (!row.Bind(launch).Step()) return std::nullopt;
  return ProgramLaunch{.name = row.Text(At("program_launch", "name")),
                       .nvtx = row.Text(At("program_launch", "nvtx")),
                       .first = row.Integer(At("program_launch", "first")),
                       .calls = row.Integer(At("program_launch", "calls")),
                       .time_us = row.MaybeReal(At("program_launch", "time_us")),
                       .share_us = row.MaybeReal(At("program_launch", "share_us")),
                       .graph_calls = row.Integer(At("program_launch", "graph_calls")),
                       .counted = row.Integer(At("program_launch", "counted")),
                       .not_counted = row.Text(At("program_launch", "not_counted"))};
}

}  // namespace culprit
