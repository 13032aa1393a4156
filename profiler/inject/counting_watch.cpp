// SPDX-License-Identifier: Apache-2.0
#include "profiler/inject/counting_watch.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "db/error.h"
#include "profiler/cupti_call.h"

namespace culprit {
namespace {

constexpr std::chrono::milliseconds kLook{100};
// A series whose launches do not come any more keeps others from being counted for so long.
constexpr std::chrono::seconds kSeriesWaits{2};

// What the thread holds between the beginning and the end of a launch.
enum class Held { kNothing, kShared, kAlone, kPass };
thread_local Held held = Held::kNothing;

MetricSet SetOf(const std::string& profile) { return profile == "full" ? MetricSet::kFull : MetricSet::kCore; }

std::chrono::milliseconds Milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1e3));
}

std::string WhyNot(const std::exception& e) {
  const auto* const cupti = dynamic_cast<const CuptiError*>(&e);
  return cupti != nullptr ? Explain(*cupti).text : e.what();
}

}  // namespace

CountingWatch::CountingWatch(const TracePlan& plan, TraceWriter& trace, std::mutex& mutex)
    : trace_(trace), mutex_(mutex), counter_(SetOf(plan.profile)) {
  for (const PlannedKernel& kernel : plan.kernels) plan_[{kernel.symbol, kernel.geometry}] = {kernel};
}

CountingWatch::Planned* CountingWatch::Find(const GraphKernel& kernel) {
  const auto planned = plan_.find({kernel.symbol, kernel.geometry});
  return planned == plan_.end() ? nullptr : &planned->second;
}

CountedLaunch CountingWatch::Describe(const GraphKernel& kernel, const std::string& path, std::int64_t nth) {
  const std::lock_guard lock(mutex_);
  return {.kernel = trace_.KernelNumber(kernel.symbol),
          .geometry = kernel.geometry,
          .range = path.empty() ? -1 : trace_.RangeNumber(path),
          .nth = nth};
}

void CountingWatch::Store(std::vector<Wanted> wanted, std::vector<std::vector<Reading>> kernels) {
  const std::lock_guard lock(mutex_);
  for (Wanted& w : wanted) {
    if (w.position < kernels.size())
      w.launch.readings = std::move(kernels[w.position]);
    else
      w.launch.not_counted = "CUPTI gave no counters of it";
    trace_.Counted(w.launch);
  }
  trace_.Flush();
}

void CountingWatch::Refuse(std::vector<Wanted> wanted, const std::string& why) {
  const std::lock_guard lock(mutex_);
  for (Wanted& w : wanted) {
    w.launch.not_counted = why;
    trace_.Counted(w.launch);
  }
  trace_.Flush();
}

void CountingWatch::GiveUpSeries(const std::string& why) {
  Refuse(std::move(series_->wanted), why);
  series_.reset();
}

void CountingWatch::Share() {
  launches_.lock_shared();
  held = Held::kShared;
}

void CountingWatch::Enter(CUcontext context, const GraphKernel& kernel, const std::string& path) {
  EnterAs(context, nullptr, {kernel}, true, path);
}

void CountingWatch::EnterGraph(CUcontext context, CUgraphExec graph, const std::string& path) {
  GraphKernels known;
  {
    const std::lock_guard lock(graphs_mutex_);
    if (const auto found = graphs_.find(graph); found != graphs_.end()) known = found->second;
  }
  EnterAs(context, graph, known.kernels, known.in_order, path);
}

void CountingWatch::EnterAs(CUcontext context, CUgraphExec graph, const std::vector<GraphKernel>& kernels,
                            bool in_order, const std::string& path) {
  std::vector<Wanted> wanted;
  double limit_s = 0;
  bool pass = graph != nullptr, first = true;
  {
    const std::lock_guard lock(plan_mutex_);
    const auto is_in_series = [&] {
      return series_ && series_->context == context && series_->graph == graph &&
             (graph != nullptr || series_->kernel == Key(kernels.front().symbol, kernels.front().geometry));
    };
    const bool continues = is_in_series();
    if (series_ && !continues && Clock::now() - series_->last > kSeriesWaits)
      GiveUpSeries(fmt::format("it was launched {} times since it was to be counted, and {} passes are needed",
                               series_->passes, counter_.passes()));
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      Planned* const planned = Find(kernels[k]);
      if (planned == nullptr) continue;
      const std::int64_t nth = planned->seen++;
      const std::vector<std::int64_t>& turns = planned->kernel.nth;
      const auto due = static_cast<std::size_t>(std::ranges::upper_bound(turns, nth) - turns.begin());
      if (continues || series_ || due <= planned->taken) continue;
      ++planned->taken;
      limit_s += planned->kernel.limit_s;
      pass = pass || planned->kernel.over_calls;
      wanted.push_back({k, Describe(kernels[k], path, nth)});
    }
    if (continues) {
      limit_s = series_->limit_s;
      first = false;
      pass = true;
    } else if (!wanted.empty() && !in_order) {
      Refuse(std::move(wanted), "it is launched by a CUDA graph with branches, whose kernels cannot be told apart");
      wanted.clear();
    } else if (!wanted.empty() && pass) {
      series_ = Series{context, graph, {kernels.front().symbol, kernels.front().geometry}, kernels.size(), wanted,
                       limit_s, Clock::now()};
    }
    if (pass && series_) wanted = series_->wanted;
  }
  if (wanted.empty()) return Share();
  // Another thread's launch may wait for what this one is to bring.
  if (!launches_.try_lock_for(Milliseconds(limit_s))) {
    if (!pass) Refuse(std::move(wanted), "a launch of another thread did not end in time");
    return Share();
  }
  if (pass) {
    const std::lock_guard lock(plan_mutex_);
    if (!series_) {  // another thread's launch was its last
      launches_.unlock();
      return Share();
    }
  }
  {
    const std::lock_guard lock(waiting_mutex_);
    waiting_ = std::move(wanted);
    limit_s_ = limit_s;
    deadline_ = Clock::now() + Milliseconds(limit_s);
  }
  held = pass ? Held::kPass : Held::kAlone;
  if (!watching_) {
    watching_ = true;
    std::thread([this] { Watch(); }).detach();
  }
  if (refused_.empty()) try {
      if (!pass) return counter_.Begin(context, kernels.size());
      return counter_.BeginPass(context, kernels.size(), first);
    } catch (const std::exception& e) {
      refused_ = WhyNot(e);
    }
  std::vector<Wanted> refused;
  {
    const std::lock_guard lock(waiting_mutex_);
    refused.swap(waiting_);
  }
  Refuse(std::move(refused), refused_);
  const std::lock_guard lock(plan_mutex_);
  series_.reset();
}

void CountingWatch::Exit() {
  const Held was = std::exchange(held, Held::kNothing);
  if (was == Held::kShared) launches_.unlock_shared();
  if (was != Held::kAlone && was != Held::kPass) return;
  std::vector<Wanted> wanted;
  {
    const std::lock_guard lock(waiting_mutex_);
    wanted = waiting_;
  }
  if (!wanted.empty()) {
    bool done = true;
    std::string why;
    std::vector<std::vector<Reading>> kernels;
    try {
      if (was == Held::kPass) done = counter_.EndPass();
      if (done) kernels = was == Held::kPass ? counter_.Readings() : counter_.End();
    } catch (const std::exception& e) {
      why = WhyNot(e);
    }
    {
      const std::lock_guard lock(waiting_mutex_);
      waiting_.clear();
    }
    if (!why.empty())
      Refuse(std::move(wanted), why);
    else if (done)
      Store(std::move(wanted), std::move(kernels));
    if (was == Held::kPass) {
      const std::lock_guard lock(plan_mutex_);
      if (done || !why.empty())
        series_.reset();
      else if (series_)
        series_->last = Clock::now(), ++series_->passes;
    }
  }
  launches_.unlock();
}

void CountingWatch::NoteGraph(CUgraphExec exec, CUgraph graph) {
  GraphKernels kernels = KernelsOf(graph);
  const std::lock_guard lock(graphs_mutex_);
  graphs_[exec] = std::move(kernels);
}

void CountingWatch::ForgetGraph(CUgraphExec exec) {
  const std::lock_guard lock(graphs_mutex_);
  graphs_.erase(exec);
}

void CountingWatch::ForgetContext(CUcontext context) {
  const std::unique_lock lock(launches_);
  const std::lock_guard plan_lock(plan_mutex_);
  if (series_ && series_->context == context) GiveUpSeries("its context ended before every pass was counted");
  counter_.Forget(context);
}

void CountingWatch::Close() {
  const std::unique_lock lock(launches_);
  const std::lock_guard plan_lock(plan_mutex_);
  if (series_)
    GiveUpSeries(fmt::format("it was launched {} times since it was to be counted, and {} passes are needed",
                             series_->passes, counter_.passes()));
  refused_ = "the program ends";
  counter_.Close();
}

void CountingWatch::Watch() {
  for (;;) {
    std::this_thread::sleep_for(kLook);
    const std::lock_guard lock(waiting_mutex_);
    if (waiting_.empty() || Clock::now() < deadline_) continue;
    Refuse(waiting_, fmt::format("it did not end within {:.0f} s when it ran alone, once for each pass: it waits for "
                                 "the host or for another kernel",
                                 limit_s_));
    _exit(kDidNotEndStatus);  // neither the launch nor who waits for it can be called back
  }
}

}  // namespace culprit
