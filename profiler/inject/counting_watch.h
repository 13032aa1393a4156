// SPDX-License-Identifier: Apache-2.0
// Chooses which launches of the program are counted and handles those that do not end. A kernel that waits for the host
// or for another kernel never ends when it is replayed alone.
#pragma once
#include <cupti.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>
#include <string>
#include <utility>
#include <vector>

#include "profiler/inject/graph_template.h"
#include "profiler/inject/launch_call.h"
#include "profiler/inject/launch_counter.h"
#include "profiler/trace/trace.h"

namespace culprit {

// A process exits with this status when a launch did not end. The trace says which launch.
inline constexpr int kDidNotEndStatus = 113;

class CountingWatch {
 public:
  using Clock = std::chrono::steady_clock;

  // Writes the counts of `counter` to `trace` under `mutex`.
  CountingWatch(const TracePlan& plan, std::unique_ptr<LaunchCounter> counter, TraceWriter& trace,
                std::timed_mutex& mutex);
  CountingWatch(const CountingWatch&) = delete;

  // Call Enter before and Exit after a launch, on its thread. `path`: its NVTX ranges.
  void Enter(CUcontext context, const GraphKernel& kernel, const std::string& path);
  // May put another graph into the call: the kernels to count have been launched then, with what comes before them.
  void EnterGraph(CUcontext context, const GraphCall& call, const std::string& path);
  // `failed`: the driver refused the launch, so it is ignored.
  void Exit(bool failed);
  // Call it instead of these two before a launch outside of the window.
  void EnterOther(CUcontext context, const std::optional<GraphCall>& graph);
  // A stream will be captured, or no longer is. The first waits until no launch is being counted.
  void NoteCapture(bool begins);
  // All launches of the plan have been counted, or it is known why not.
  bool IsDone();
  // How long launches that were counted, or tried, kept the program.
  Clock::duration Spent() const { return Clock::duration(spent_); }

  void NoteGraph(CUgraphExec exec, CUgraph graph);
  void ForgetGraph(CUgraphExec exec);
  // A call of kGraphUpdates has succeeded.
  void NoteUpdate(CUpti_CallbackId id, const CUpti_CallbackData& call);
  void ForgetContext(CUcontext context);
  // Stops counting.
  void Close();

 private:
  using Key = std::pair<std::string, LaunchGeometry>;
  struct Planned {
    PlannedKernel kernel;
    std::int64_t seen = 0;  // launches so far
  };

  struct Wanted {
    CountedLaunch launch;
    double limit_s = 0;
  };

  // The launch that begins now, if it is to be counted.
  std::optional<Wanted> Turn(const GraphKernel& kernel, const std::string& path);
  // The graph that this thread launches from now on. Null: its kernels are not in the plan.
  std::shared_ptr<GraphTemplate> Follow(CUcontext context, const GraphCall& call);
  void Share();
  // Waits for other threads' launches until none can begin. Returns why nothing can be counted now. Empty: it can.
  std::string LockAlone(double limit_s);
  // Before a launch of this thread, and after it. Both under LockAlone.
  void Begin(CUcontext context, const Wanted& wanted);
  void End(bool failed);
  // Counts kernels of the graph, by their number in it, and changes the call. Returns why not; then nothing was launched.
  std::string Walk(CUcontext context, const GraphCall& call, const GraphTemplate& graph,
                   const std::map<std::size_t, Wanted>& wanted);
  void Store(CountedLaunch launch);
  void Refuse(CountedLaunch launch, const std::string& why);
  void Watch();

  TraceWriter& trace_;
  std::timed_mutex& mutex_;
  const std::unique_ptr<LaunchCounter> counter_;
  std::mutex plan_mutex_;  // guards the next three
  std::map<Key, Planned> plan_;
  std::map<CUgraphExec, std::shared_ptr<GraphTemplate>> graphs_;  // those with kernels of the plan
  std::set<CUgraphExec> switched_;                                // nodes of these were switched off or on
  std::size_t left_ = 0;  // launches of the plan that have not come; guarded by plan_mutex_
  std::atomic<Clock::duration::rep> spent_ = 0;
  // Locked exclusively while a launch is counted, because the profiler would also count other threads' launches.
  std::shared_timed_mutex launches_;
  std::string refused_;            // why counting has stopped; guarded by launches_
  std::atomic<int> captures_ = 0;  // of streams; grows under launches_ alone

  std::mutex waiting_mutex_;  // guards the members that Watch reads
  std::optional<CountedLaunch> waiting_;
  Clock::time_point deadline_;
  double limit_s_ = 0;
};

}  // namespace culprit
