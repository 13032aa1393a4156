// SPDX-License-Identifier: Apache-2.0
// Small records. Each test changes the fields that matter to it.
#pragma once
#include <string>
#include <vector>

#include "db/database.h"

namespace culprit {

Device AGpu(std::string name = "NVIDIA H100 80GB HBM3");
// `uuid` is completed to 36 characters.
RunRecord ARun(std::string uuid, std::string started_utc = "2026-11-21T00:25:46Z", std::string label = "");
StageRecord AStage(std::string id, std::string parent = "");
BuildRecord ABuild(const std::string& stage, double registers = 122);
LaunchRecord ALaunch(std::string stage, int extent = 4096);  // extent x extent x extent
std::vector<Sample> Samples(std::initializer_list<double> times_us);
Reading AReading(std::string id, double value);
Reading NotMeasured(std::string id, ReadingStatus status);

// Begins a run and launches every stage at every extent, with two samples and two readings each.
RunId RecordRun(Database& db, const RunRecord& run, const std::vector<std::string>& stages,
                const std::vector<int>& extents, bool finish = true);

}  // namespace culprit
