// SPDX-License-Identifier: Apache-2.0
// Stores and reads runs of recorded programs and of other tools.
#include "db/database_impl.h"
#include "db/rows.h"

namespace culprit {
namespace {

std::vector<ProgramCopy> LoadCopies(Connection& connection, RunId run) {
  Lease row = connection.Prepared(SelectText("program_copy") + " WHERE run_id = ? ORDER BY kind");
  row.Bind(run);
  std::vector<ProgramCopy> copies;
  while (row.Step()) {
    const auto kind = KindNamed<CopyKind>(row.Text(At("program_copy", "kind")));
    if (!kind) continue;  // an edited file may contain an unknown kind
    row.Read(copies.emplace_back(ProgramCopy{*kind}));
  }
  return copies;
}

std::vector<ProgramProcess> LoadProcesses(Connection& connection, RunId run) {
  Lease row = connection.Prepared(SelectText("program_process") + " WHERE run_id = ? ORDER BY process");
  row.Bind(run);
  std::vector<ProgramProcess> processes;
  while (row.Step()) row.Read(processes.emplace_back());
  return processes;
}

}  // namespace

void Database::StoreProgram(RunId run, const ProgramRecord& program) {
  impl_->Write("store what is known of a program", [&](Connection& connection) {
    connection.Prepared("DELETE FROM program WHERE run_id = ?").Bind(run).Run();
    connection.Prepared("DELETE FROM program_copy WHERE run_id = ?").Bind(run).Run();
    connection.Prepared("DELETE FROM program_process WHERE run_id = ?").Bind(run).Run();
    InsertRow(connection, "program", run, program.source, Fields(program));
    for (const ProgramCopy& copy : program.copies) InsertRow(connection, "program_copy", run, copy.kind, Fields(copy));
    for (const ProgramProcess& process : program.gpu_processes)
      InsertRow(connection, "program_process", run, Fields(process));
  });
}

void Database::StoreProgramLaunch(LaunchId launch, const ProgramLaunch& program) {
  impl_->Write("store what a program's launch stands for", [&](Connection& connection) {
    connection.Prepared("DELETE FROM program_launch WHERE launch_id = ?").Bind(launch).Run();
    connection.Prepared("DELETE FROM python_frame WHERE launch_id = ?").Bind(launch).Run();
    InsertRow(connection, "program_launch", launch, Fields(program));
    int depth = 0;
    for (const PythonFrame& frame : program.stack)
      InsertRow(connection, "python_frame", launch, depth++, Fields(frame));
  });
}

std::optional<ProgramRecord> LoadProgram(Connection& connection, RunId run) {
  Lease row = connection.Prepared(SelectText("program") + " WHERE run_id = ?");
  if (!row.Bind(run).Step()) return std::nullopt;
  const auto source = KindNamed<ProgramSource>(row.Text(At("program", "source")));
  if (!source) return std::nullopt;  // an edited file may contain an unknown source
  ProgramRecord program;
  program.source = *source;
  row.Read(program);
  program.copies = LoadCopies(connection, run);
  program.gpu_processes = LoadProcesses(connection, run);
  return program;
}

std::optional<ProgramLaunch> LoadProgramLaunch(Connection& connection, LaunchId launch) {
  static const std::string sql = SelectText("program_launch") + " WHERE launch_id = ?";
  Lease row = connection.Prepared(sql);
  if (!row.Bind(launch).Step()) return std::nullopt;
  ProgramLaunch program;
  row.Read(program);
  static const std::string frames = SelectText("python_frame") + " WHERE launch_id = ? ORDER BY depth";
  program.stack = connection.Prepared(frames).Bind(launch).All<PythonFrame>();
  return program;
}

}  // namespace culprit
