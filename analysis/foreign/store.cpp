// SPDX-License-Identifier: Apache-2.0
#include "analysis/foreign/report.h"
#include "db/database.h"
#include "db/medians.h"

namespace culprit {

std::string AsExport(const ForeignReport& report) {
  Database database = Database::InMemory();
  const RunId run = database.BeginRun(report.run);
  for (const StageRecord& stage : report.stages) database.StoreStage(run, stage, {});
  for (const ForeignLaunch& l : report.launches) {
    const LaunchId launch = database.StoreLaunch(run, l.launch, l.samples);
    database.StoreProgramLaunch(launch, l.program);
    if (l.counted.empty()) continue;
    database.StoreReadings(launch, Medians(l.counted));
    database.StoreRepeats(launch, l.counted);
  }
  if (report.run.program) database.StoreProgram(run, *report.run.program);
  for (const Warning& warning : report.warnings) database.StoreWarning(run, std::nullopt, warning);
  database.FinishRun(run, report.run.started_utc);
  return database.Export();
}

}  // namespace culprit
