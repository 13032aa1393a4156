// SPDX-License-Identifier: Apache-2.0
#include "profiler/inject/counting_watch.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "db/error.h"
#include "profiler/cupti_call.h"
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
// The counter that this thread's launch increased, until the launch has ended.
thread_local std::int64_t* turn = nullptr;

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

std::optional<CountedLaunch> CountingWatch::Turn(const GraphKernel& kernel, const std::string& path, double& limit_s) {
  std::int64_t nth = 0;
  {
    const std::lock_guard lock(plan_mutex_);
    const auto planned = plan_.find({kernel.symbol, kernel.geometry});
    if (planned == plan_.end()) return std::nullopt;
    nth = planned->second.seen++;
    turn = &planned->second.seen;
    if (!std::ranges::binary_search(planned->second.kernel.nth, nth)) return std::nullopt;
    limit_s = planned->second.kernel.limit_s;
    began = Clock::now();
  }
  const std::lock_guard lock(mutex_);
  return CountedLaunch{.kernel = trace_.KernelNumber(kernel.symbol),
                       .geometry = kernel.geometry,
                       .range = path.empty() ? -1 : trace_.RangeNumber(path),
                       .nth = nth};
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

void CountingWatch::EnterGraph(CUgraphExec graph, const std::string& path) {
  std::vector<GraphKernel> kernels;
  {
    const std::lock_guard lock(plan_mutex_);
    if (const auto found = graphs_.find(graph); found != graphs_.end()) kernels = found->second;
  }
  double limit_s = 0;
  for (const GraphKernel& kernel : kernels)
    if (std::optional<CountedLaunch> launch = Turn(kernel, path, limit_s))
      Refuse(
          *std::move(launch),
          "it is launched by a CUDA graph, whose kernels CUPTI cannot count: run the program without graphs to count "
          "it");
  Share();
}

void CountingWatch::Enter(CUcontext context, const GraphKernel& kernel, const std::string& path) {
  double limit_s = 0;
  std::optional<CountedLaunch> launch = Turn(kernel, path, limit_s);
  if (!launch) return Share();
  // Another thread's launch may wait for data from this one.
  if (!launches_.try_lock_for(Milliseconds(limit_s))) {
    Refuse(*std::move(launch), "a launch of another thread did not end in time");
    return Share();
  }
  held = Held::kAlone;
  if (refused_.empty()) {
    {
      const std::lock_guard lock(waiting_mutex_);
      waiting_ = launch;
      limit_s_ = limit_s;
      deadline_ = Clock::now() + Milliseconds(limit_s);
    }
    try {
      return counter_->Begin(context);
    } catch (const std::exception& e) {
      refused_ = WhyNot(e);
    }
    const std::lock_guard lock(waiting_mutex_);
    waiting_.reset();
  }
  Refuse(*std::move(launch), refused_);
}

void CountingWatch::Exit(bool failed) {
  const Held was = std::exchange(held, Held::kNothing);
  if (std::int64_t* const seen = std::exchange(turn, nullptr); seen != nullptr && failed) {
    const std::lock_guard lock(plan_mutex_);
    --*seen;
  }
  if (was == Held::kShared) launches_.unlock_shared();
  if (was != Held::kAlone) return;
  std::optional<CountedLaunch> launch;
  {
    const std::lock_guard lock(waiting_mutex_);
    launch = waiting_;
  }
  if (launch) {
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
  launches_.unlock();
}

void CountingWatch::NoteGraph(CUgraphExec exec, CUgraph graph) {
  std::vector<GraphKernel> kernels = KernelsOf(graph);
  const std::lock_guard lock(plan_mutex_);
  graphs_[exec] = std::move(kernels);
}

void CountingWatch::ForgetGraph(CUgraphExec exec) {
  const std::lock_guard lock(plan_mutex_);
  graphs_.erase(exec);
}

void CountingWatch::ForgetContext(CUcontext context) {
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
