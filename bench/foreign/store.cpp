// SPDX-License-Identifier: Apache-2.0
#include "bench/foreign/report.h"
#include "bench/program/stored_program.h"
#include "bench/program/timed_program.h"
#include "bench/run_writer.h"

namespace culprit {
namespace {

// As culprit record stores what it has timed.
void StoreTraces(Database& database, const ForeignReport& report) {
  TimedProgram timed = ReadTimed(report.traces);
  timed.program.source = report.run.program->source;
  std::vector<std::string> not_counted(timed.classes.size());
  StoredProgram stored(database, report.run, std::move(timed), std::move(not_counted));
  stored.StoreVersions(report.versions);
  for (const Warning& warning : report.warnings) stored.Warn(warning);
  stored.Finish(report.run.started_utc);
}

}  // namespace

std::string AsExport(const ForeignReport& report) {
  Database database = Database::InMemory();
  if (!report.traces.empty()) {
    StoreTraces(database, report);
    return database.Export();
  }
  RunWriter writer(database, report.run);
  for (const StageRecord& stage : report.stages) writer.StoreStage(stage, {});
  for (const ForeignLaunch& l : report.launches) {
    const StoredLaunch launch = writer.StoreLaunch(l.launch, l.samples);
    writer.StoreProgramLaunch(launch, l.program);
    writer.StoreRepetitions(launch, l.counted);
  }
  if (report.run.program) writer.StoreProgram(*report.run.program);
  for (const Warning& warning : report.warnings) writer.StoreWarning(warning);
  writer.Finish(report.run.started_utc);
  return database.Export();
}

}  // namespace culprit
