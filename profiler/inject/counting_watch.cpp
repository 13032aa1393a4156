// SPDX-License-Identifier: Apache-2.0
#include "profiler/inject/counting_watch.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "db/error.h"
#include "profiler/cupti_call.h"
#include "profiler/inject/driver.h"
#include "profiler/inject/graph_walk.h"
#include "profiler/inject/quiet_thread.h"

namespace culprit {
namespace {

constexpr std::chrono::milliseconds kLook{100};
// How long to wait for a lock of another thread.
constexpr std::chrono::seconds kPatience{1};

// What a thread holds from the start to the end of a launch.
enum class Held { kNothing, kShared, kAlone };
thread_local Held held = Held::kNothing;
// When this thread's launch began to be counted.
thread_local CountingWatch::Clock::time_point began;
// The counters that this thread's launch increased, until the launch has ended.
thread_local std::vector<std::int64_t*> turns;
// The graph that this thread launches.
struct LaunchedGraph {
  std::shared_ptr<GraphTemplate> graph;
  CUcontext context = nullptr;
  CUstream stream = nullptr;
  std::unique_ptr<GraphWalk> walk = nullptr;
};
thread_local LaunchedGraph launched;

// While one thread captures a stream, the driver refuses some calls on all threads that do not relax this.
class RelaxedCapture {
 public:
  RelaxedCapture() { Exchange(); }
  ~RelaxedCapture() { Exchange(); }
  RelaxedCapture(const RelaxedCapture&) = delete;

 private:
  void Exchange() {
    if (const auto exchange = Driver::Get().exchange_capture_mode) exchange(&mode_);
  }
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

std::chrono::milliseconds Milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1e3));
}

std::string WhyNot(const std::exception& e) {
  const auto* const cupti = dynamic_cast<const CuptiError*>(&e);
  return cupti != nullptr ? Explain(*cupti).text : e.what();
}

}  // namespace

CountingWatch::CountingWatch(const TracePlan& plan, std::unique_ptr<LaunchCounter> counter, TraceWriter& trace,
                             std::timed_mutex& mutex)
    : trace_(trace), mutex_(mutex), counter_(std::move(counter)) {
  for (const PlannedKernel& kernel : plan.kernels) {
    plan_[{kernel.symbol, kernel.geometry}] = {kernel};
    left_ += kernel.nth.size();
  }
  StartQuietThread([this] { Watch(); });
}

std::optional<CountingWatch::Wanted> CountingWatch::Turn(const GraphKernel& kernel, const std::string& path) {
  std::int64_t nth = 0;
  double limit_s = 0;
  {
    const std::lock_guard lock(plan_mutex_);
    const auto planned = plan_.find({kernel.symbol, kernel.geometry});
    if (planned == plan_.end()) return std::nullopt;
    nth = planned->second.seen++;
    turns.push_back(&planned->second.seen);
    if (!std::ranges::binary_search(planned->second.kernel.nth, nth)) return std::nullopt;
    limit_s = planned->second.kernel.limit_s;
    began = Clock::now();
  }
  const std::lock_guard lock(mutex_);
  return Wanted{{.kernel = trace_.KernelNumber(kernel.symbol),
                 .geometry = kernel.geometry,
                 .range = path.empty() ? -1 : trace_.RangeNumber(path),
                 .nth = nth},
                limit_s};
}

// Each planned launch comes here once, unless it does not come back.
void CountingWatch::Store(CountedLaunch launch) {
  {
    const std::lock_guard lock(mutex_);
    trace_.Counted(launch);
    trace_.Flush();
  }
  spent_ += (Clock::now() - began).count();
  const std::lock_guard lock(plan_mutex_);
  if (left_ > 0) --left_;
}

bool CountingWatch::IsDone() {
  const std::lock_guard lock(plan_mutex_);
  return left_ == 0;
}

void CountingWatch::Refuse(CountedLaunch launch, const std::string& why) {
  launch.not_counted = why;
  Store(std::move(launch));
}

void CountingWatch::Share() {
  launches_.lock_shared();
  held = Held::kShared;
}

std::string CountingWatch::LockAlone(double limit_s) {
  // Another thread's launch may wait for data from this one.
  if (!launches_.try_lock_for(Milliseconds(limit_s))) return "a launch of another thread did not end in time";
  held = Held::kAlone;
  // A replay fails then, and the capture, too.
  if (captures_ > 0) return "a stream was being captured into a CUDA graph when it was launched";
  return refused_;
}

void CountingWatch::NoteCapture(bool begins) {
  if (!begins) {
    --captures_;
    return;
  }
  const std::shared_lock lock(launches_);
  ++captures_;
}

void CountingWatch::Enter(CUcontext context, const GraphKernel& kernel, const std::string& path) {
  const std::optional<Wanted> wanted = Turn(kernel, path);
  if (!wanted) return Share();
  const std::string why = LockAlone(wanted->limit_s);
  if (why.empty()) return Begin(context, *wanted);
  Refuse(wanted->launch, why);
  if (held == Held::kNothing) Share();
}

void CountingWatch::EnterOther(CUcontext context, const std::optional<GraphCall>& graph) {
  if (graph) Follow(context, *graph);
  Share();
}

std::shared_ptr<GraphTemplate> CountingWatch::Follow(CUcontext context, const GraphCall& call) {
  {
    const std::lock_guard lock(plan_mutex_);
    const auto found = graphs_.find(*call.graph);
    if (found == graphs_.end()) return nullptr;
    launched = {found->second, context, call.stream};
  }
  launched.graph->Await(call.stream);
  return launched.graph;
}

void CountingWatch::EnterGraph(CUcontext context, const GraphCall& call, const std::string& path) {
  const std::shared_ptr<GraphTemplate> graph = Follow(context, call);
  if (graph == nullptr || IsDone()) return Share();
  const std::vector<GraphKernel>& kernels = graph->Kernels();
  std::map<std::size_t, Wanted> wanted;
  for (std::size_t number = 0; number < kernels.size(); ++number)
    if (std::optional<Wanted> one = Turn(kernels[number], path)) wanted.emplace(number, *std::move(one));
  if (!wanted.empty())
    if (const std::string why = Walk(context, call, *graph, wanted); !why.empty())
      for (const auto& [number, one] : wanted) {
        Refuse(one.launch, why);
        began = Clock::now();  // the wait counts once
      }
  if (held == Held::kNothing) Share();
}

std::string CountingWatch::Walk(CUcontext context, const GraphCall& call, const GraphTemplate& graph,
                                const std::map<std::size_t, Wanted>& wanted) {
  const auto refusal = [](const std::string& trouble) {
    return fmt::format(
        "it is launched by a CUDA graph that cannot be taken apart ({}): run the program without graphs to count it",
        trouble);
  };
  if (!graph.trouble().empty()) return refusal(graph.trouble());
  double limit_s = 0;
  for (const auto& [number, one] : wanted) limit_s = std::max(limit_s, one.limit_s);
  if (std::string why = LockAlone(limit_s); !why.empty()) return why;
  try {
    launched.walk = std::make_unique<GraphWalk>(context, graph.graph(),
                                                [&](std::size_t number) { return wanted.contains(number); });
  } catch (const Error& e) {
    return refusal(e.what());
  }
  switch (launched.walk->Run(call.stream, [&](std::size_t number, const GraphWalk::Launch& launch) {
    began = Clock::now();
    Begin(context, wanted.at(number));
    const CUresult result = launch();
    End(result != CUDA_SUCCESS);
    return result == CUDA_SUCCESS ? result : launch();
  })) {
    case Walked::kAll:
      *call.graph = launched.walk->Rest();
      break;
    case Walked::kPart:
      *call.graph = nullptr;  // the program's own call fails, too
      break;
    case Walked::kNothing:
      break;
  }
  return {};
}

void CountingWatch::Begin(CUcontext context, const Wanted& wanted) {
  if (refused_.empty()) {
    {
      const std::lock_guard lock(waiting_mutex_);
      waiting_ = wanted.launch;
      limit_s_ = wanted.limit_s;
      deadline_ = Clock::now() + Milliseconds(limit_s_);
    }
    try {
      return counter_->Begin(context);
    } catch (const std::exception& e) {
      refused_ = WhyNot(e);
    }
    const std::lock_guard lock(waiting_mutex_);
    waiting_.reset();
  }
  Refuse(wanted.launch, refused_);
}

void CountingWatch::End(bool failed) {
  std::optional<CountedLaunch> launch;
  {
    const std::lock_guard lock(waiting_mutex_);
    launch = waiting_;
  }
  if (!launch) return;
  std::string why = failed ? "its launch failed" : "CUPTI gave no counters of it";
  const auto has_come_back = [this] {
    const std::lock_guard lock(waiting_mutex_);
    waiting_.reset();
  };
  try {
    counter_->Wait();
    has_come_back();
    LaunchCounts counts = counter_->End();
    if (!failed) launch->readings = std::move(counts.readings);
    if (!failed) launch->instructions = std::move(counts.instructions);
  } catch (const std::exception& e) {
    has_come_back();
    why = WhyNot(e);
  }
  if (launch->readings.empty())
    Refuse(*std::move(launch), why);
  else
    Store(*std::move(launch));
}

void CountingWatch::Exit(bool failed) {
  const Held was = std::exchange(held, Held::kNothing);
  if (failed && !turns.empty()) {
    const std::lock_guard lock(plan_mutex_);
    for (std::int64_t* const seen : turns) --*seen;
  }
  turns.clear();
  if (const LaunchedGraph now = std::exchange(launched, {}); now.graph != nullptr) {
    const RelaxedCapture relaxed;
    now.graph->NoteLaunch(now.context, now.stream);
  }
  if (was == Held::kShared) launches_.unlock_shared();
  if (was != Held::kAlone) return;
  End(failed);
  launches_.unlock();
}

void CountingWatch::NoteGraph(CUgraphExec exec, CUgraph graph) {
  std::shared_ptr<GraphTemplate> made = std::make_shared<GraphTemplate>(exec, graph), unplanned;
  // The two are destroyed without the lock.
  const std::lock_guard lock(plan_mutex_);
  if (switched_.contains(exec)) made->NoteUnfollowed("cuGraphNodeSetEnabled");
  std::shared_ptr<GraphTemplate>& noted = graphs_[exec];
  // Nodes that are switched off stay so when the whole is updated.
  if (noted != nullptr && !noted->trouble().empty()) return;
  noted.swap(made);
  if (std::ranges::any_of(noted->Kernels(), [&](const GraphKernel& k) {
        return plan_.contains({k.symbol, k.geometry});
      }))
    return;
  unplanned = std::move(noted);
  graphs_.erase(exec);
}

void CountingWatch::NoteUpdate(CUpti_CallbackId id, const CUpti_CallbackData& call) {
  if (id == CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate || id == CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate_v2) {
    const auto& update = *static_cast<const cuGraphExecUpdate_params*>(call.functionParams);
    return NoteGraph(update.hGraphExec, update.hGraph);
  }
  const CUgraphExec exec = *static_cast<const CUgraphExec*>(call.functionParams);
  std::shared_ptr<GraphTemplate> graph;
  {
    const std::lock_guard lock(plan_mutex_);
    // An update may bring planned kernels later, and which nodes are off is not known then.
    if (id == CUPTI_DRIVER_TRACE_CBID_cuGraphNodeSetEnabled) switched_.insert(exec);
    const auto found = graphs_.find(exec);
    if (found != graphs_.end()) graph = found->second;
  }
  if (graph != nullptr) graph->Follow(id, call);
}

void CountingWatch::ForgetGraph(CUgraphExec exec) {
  std::shared_ptr<GraphTemplate> forgotten;  // destroyed without the lock
  const std::lock_guard lock(plan_mutex_);
  switched_.erase(exec);
  if (const auto found = graphs_.find(exec); found != graphs_.end()) {
    forgotten = std::move(found->second);
    graphs_.erase(found);
  }
}

void CountingWatch::ForgetContext(CUcontext context) {
  {
    const std::lock_guard lock(plan_mutex_);
    for (const auto& [exec, graph] : graphs_) graph->ForgetContext(context);
  }
  // A launch that never returns may hold the lock; then its counters stay armed.
  const std::unique_lock lock(launches_, kPatience);
  if (lock.owns_lock()) counter_->Forget(context);
}

void CountingWatch::Close() {
  const std::unique_lock lock(launches_, kPatience);
  if (!lock.owns_lock()) return;
  refused_ = "the program ends";
  counter_->Close();
}

void CountingWatch::Watch() try {
  for (;;) {
    std::this_thread::sleep_for(kLook);
    const std::lock_guard lock(waiting_mutex_);
    if (!waiting_ || Clock::now() < deadline_) continue;
    waiting_->not_counted = fmt::format(
        "it did not end within {:.0f} s when it ran alone, once for each pass: it waits for the host or for another "
        "kernel, or the memory that it may write takes longer to save",
        limit_s_);
    // The holder of the trace may wait for the kernel.
    if (const std::unique_lock trace_lock(mutex_, kPatience); trace_lock.owns_lock()) {
      trace_.Counted(*waiting_);
      trace_.Warn({kDidNotEnd, "a kernel did not end while its counters were read: the execution was ended there"});
      trace_.Flush();
    }
    _exit(kDidNotEndStatus);  // neither the launch nor its waiter can be stopped
  }
} catch (...) {  // out of memory: stop watching
}

}  // namespace culprit
