// SPDX-License-Identifier: Apache-2.0
// Private to db/.
#pragma once
#include <memory>
#include <set>

#include "db/connection.h"
#include "db/database.h"
#include "db/metric_ids.h"

namespace culprit {

struct Database::Impl {
  Impl(Connection c, bool is_recording) : connection(std::move(c)), recording(is_recording) {}
  ~Impl();

  // Throws when the run is not what was recorded; looks once for each run. While recording nothing is asked: a run that
  // goes on has no sums yet.
  void RequireIntact(RunId run);
  void RequireIntactRunOf(LaunchId launch);
  // The same of what every run is: one that lost its label is not found by it.
  void RequireRunsThemselvesIntact();
  // The same of which launches a run has.
  void RequireLaunchesIntact(RunId run);

  Connection connection;
  bool recording;
  MetricIds metric_ids;
  std::set<RunId> intact = {};
  bool runs_themselves_intact = false;
};

}  // namespace culprit
