// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <utility>

#include "analysis/foreign/report.h"
#include "analysis/number/statistics.h"
#include "db/database.h"

namespace culprit {
namespace {

// One reading for each metric that any execution was asked for: the median of those that have a value.
std::vector<Reading> MediansOf(const std::vector<std::vector<Reading>>& counted) {
  std::vector<Reading> medians;
  std::map<std::pair<std::string_view, std::string_view>, std::pair<std::size_t, std::vector<double>>> read;
  for (const std::vector<Reading>& readings : counted)
    for (const Reading& reading : readings) {
      const auto [at, is_new] = read.try_emplace({reading.metric.id, reading.metric.source}, medians.size(), std::vector<double>());
      if (is_new) medians.push_back(reading);
      if (reading.value) at->second.second.push_back(*reading.value);
    }
  for (auto& [key, values] : read) {
    if (values.second.empty()) continue;
    Reading& median = medians[values.first];
    median.value = Describe(std::move(values.second))->median;
    median.status = ReadingStatus::kOk;
  }
  return medians;
}

}  // namespace

std::string AsExport(const ForeignReport& report) {
  Database database = Database::InMemory();
  const RunId run = database.BeginRun(report.run);
  for (const StageRecord& stage : report.stages) database.StoreStage(run, stage, {});
  for (const ForeignLaunch& l : report.launches) {
    const LaunchId launch = database.StoreLaunch(run, l.launch, l.samples);
    database.StoreProgramLaunch(launch, l.program);
    if (l.counted.empty()) continue;
    database.StoreReadings(launch, MediansOf(l.counted));
    database.StoreRepeats(launch, l.counted);
  }
  if (report.run.program) database.StoreProgram(run, *report.run.program);
  for (const Warning& warning : report.warnings) database.StoreWarning(run, std::nullopt, warning);
  database.FinishRun(run, report.run.started_utc);
  return database.Export();
}

}  // namespace culprit
