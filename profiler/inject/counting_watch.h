// SPDX-License-Identifier: Apache-2.0
// Which launches of the program are counted, and what becomes of those that do not end: a kernel that waits for the
// host, or for another kernel, waits for ever when it runs alone and again.
#pragma once
#include <cupti.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <utility>
#include <vector>

#include "db/trace.h"
#include "profiler/inject/graph_kernels.h"
#include "profiler/inject/launch_counter.h"

namespace culprit {

// With this status a process ends in which a launch did not end; its trace says which.
inline constexpr int kDidNotEndStatus = 113;

class CountingWatch {
 public:
  // What `counter` counts goes to `trace` under `mutex`.
  CountingWatch(const TracePlan& plan, std::unique_ptr<LaunchCounter> counter, TraceWriter& trace,
                std::timed_mutex& mutex);
  CountingWatch(const CountingWatch&) = delete;

  // Around a launch, on the thread that makes it. `path`: its NVTX ranges.
  void Enter(CUcontext context, const GraphKernel& kernel, const std::string& path);
  void EnterGraph(CUgraphExec graph, const std::string& path);
  // `failed`: the driver refused the launch, which then is none.
  void Exit(bool failed);

  void NoteGraph(CUgraphExec exec, CUgraph graph);
  void ForgetGraph(CUgraphExec exec);
  void ForgetContext(CUcontext context);
  // Nothing is counted any more.
  void Close();

 private:
  using Clock = std::chrono::steady_clock;
  using Key = std::pair<std::string, LaunchGeometry>;
  struct Planned {
    PlannedKernel kernel;
    std::int64_t seen = 0;  // launches of it
  };

  // The launch of this kernel, if it is one that is to be counted.
  std::optional<CountedLaunch> Turn(const GraphKernel& kernel, const std::string& path, double& limit_s);
  void Share();
  void Store(CountedLaunch launch);
  void Refuse(CountedLaunch launch, const std::string& why);
  void Watch();

  TraceWriter& trace_;
  std::timed_mutex& mutex_;
  const std::unique_ptr<LaunchCounter> counter_;
  std::mutex plan_mutex_;  // of the next two
  std::map<Key, Planned> plan_;
  std::map<CUgraphExec, std::vector<GraphKernel>> graphs_;
  // Held alone while a launch is counted: the profiler would take what other threads launch for it.
  std::shared_timed_mutex launches_;
  std::string refused_;  // why nothing is counted any more, under launches_

  std::mutex waiting_mutex_;  // of what the watch looks at
  std::optional<CountedLaunch> waiting_;
  Clock::time_point deadline_;
  double limit_s_ = 0;
};

}  // namespace culprit
