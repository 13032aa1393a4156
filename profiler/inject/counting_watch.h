// SPDX-License-Identifier: Apache-2.0
// Which launches of the program are counted, and what becomes of those that do not end: a kernel that waits for the host,
// or for another kernel, waits for ever when it runs alone and again.
#pragma once
#include <cupti.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <utility>
#include <vector>

#include "db/trace.h"
#include "profiler/inject/graph_kernels.h"
#include "profiler/inject/replay_counter.h"

namespace culprit {

// With this status a process ends in which a launch did not end; its trace says which.
inline constexpr int kDidNotEndStatus = 113;

class CountingWatch {
 public:
  // Counted launches go to `trace` under `mutex`.
  CountingWatch(const TracePlan& plan, TraceWriter& trace, std::mutex& mutex);
  CountingWatch(const CountingWatch&) = delete;

  // Around a launch, on the thread that makes it. `path`: its NVTX ranges.
  void Enter(CUcontext context, const GraphKernel& kernel, const std::string& path);
  void EnterGraph(CUcontext context, CUgraphExec graph, const std::string& path);
  void Exit();

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
    std::int64_t seen = 0;   // launches of it
    std::size_t taken = 0;   // of the planned ones, those that were or are being counted
  };
  // A kernel that is being counted: which of those that run, and what it will be called.
  struct Wanted {
    std::size_t position = 0;
    CountedLaunch launch;  // without readings
  };
  // Launches that are one pass each.
  struct Series {
    CUcontext context = nullptr;
    CUgraphExec graph = nullptr;  // null: of the kernel
    Key kernel;
    std::size_t kernels = 1;
    std::vector<Wanted> wanted;
    double limit_s = 0;
    Clock::time_point last = {};  // pass
    std::size_t passes = 0;
  };

  Planned* Find(const GraphKernel& kernel);
  CountedLaunch Describe(const GraphKernel& kernel, const std::string& path, std::int64_t nth);
  void EnterAs(CUcontext context, CUgraphExec graph, const std::vector<GraphKernel>& kernels, bool in_order,
               const std::string& path);
  void Share();
  void Refuse(std::vector<Wanted> wanted, const std::string& why);
  void Store(std::vector<Wanted> wanted, std::vector<std::vector<Reading>> kernels);
  void GiveUpSeries(const std::string& why);
  void Watch();

  TraceWriter& trace_;
  std::mutex& mutex_;
  ReplayCounter counter_;
  std::mutex graphs_mutex_;
  std::map<CUgraphExec, GraphKernels> graphs_;
  // Held alone while a launch is counted: the profiler would take what other threads launch for it.
  std::shared_timed_mutex launches_;
  std::mutex plan_mutex_;  // of the next two
  std::map<Key, Planned> plan_;
  std::optional<Series> series_;
  std::string refused_;  // why nothing is counted any more, under launches_
  bool watching_ = false;

  std::mutex waiting_mutex_;  // of what the watch looks at
  std::vector<Wanted> waiting_;
  Clock::time_point deadline_;
  double limit_s_ = 0;
};

}  // namespace culprit
