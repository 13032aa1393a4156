// SPDX-License-Identifier: Apache-2.0
// Private to db/.
#pragma once
#include <fmt/format.h>

#include <memory>
#include <set>
#include <string_view>

#include "db/connection.h"
#include "db/database.h"
#include "db/failure.h"
#include "db/metric_ids.h"
#include "db/read.h"

namespace culprit {

enum class Repeats { kLeftOut, kRead };

struct Database::Impl {
  Impl(Connection c, bool is_recording) : connection(std::move(c)), recording(is_recording) {}
  ~Impl();

  // Throws when the run has changed since it was recorded. Checks each run once. Never throws while recording, because
  // an unfinished run has no sums.
  void RequireIntact(RunId run);
  // The same for the rows of all runs, because a run that lost its label would not be found by it.
  void RequireRunsThemselvesIntact();
  // The same for the list of a run's launches.
  void RequireLaunchesIntact(RunId run);

  // Reads launches in this order.
  std::vector<KernelRecord> Load(std::span<const LaunchId> launches, Repeats repeats);
  // The intact run that a search finds.
  RunId Find(const Selector& selector, std::string_view stage);

  // Runs `work`. Its statements take effect together or not at all. `doing`: see Saying.
  template <class Work>
  void Write(std::string_view doing, Work&& work) {
    Saying(connection.file(), doing, [&] {
      WriteTransaction transaction(connection);
      try {
        work(connection);
        transaction.Commit();
      } catch (...) {
        metric_ids.Forget();
        throw;
      }
    });
  }
  // The same for work on a launch, which must exist.
  template <class Work>
  void WriteOf(LaunchId launch, std::string_view doing, Work&& work) {
    Write(doing, [&](Connection& c) {
      if (RunOf(c, launch) == 0) throw Error(fmt::format("cannot {}: there is no launch {}", doing, launch));
      work(c);
    });
  }
  // Runs `work`, which reads `run`. Throws if the run is damaged.
  template <class Work>
  auto Read(RunId run, std::string_view doing, Work&& work) {
    return SayingOf(connection, run, doing, [&] {
      RequireIntact(run);
      return work(connection);
    });
  }

  Connection connection;
  bool recording;
  MetricIds metric_ids;
  std::set<RunId> intact = {};
  bool runs_themselves_intact = false;
};

}  // namespace culprit
