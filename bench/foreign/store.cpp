// SPDX-License-Identifier: Apache-2.0
#include "bench/foreign/report.h"
#include "bench/run_writer.h"

namespace culprit {

std::string AsExport(const ForeignReport& report) {
  Database database = Database::InMemory();
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
