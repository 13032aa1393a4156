// SPDX-License-Identifier: Apache-2.0
// libculprit_inject.so, which CUDA (CUDA_INJECTION64_PATH) and NVTX (NVTX_INJECTION64_PATH) load into a program under
// `culprit record`. It only watches. Its failures go to the trace, and the program continues.
#include <cuda.h>
#include <cupti.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "db/error.h"
#include "profiler/cupti_call.h"
#include "profiler/device_info.h"
#include "profiler/inject/activity_log.h"
#include "profiler/inject/capture_window.h"
#include "profiler/inject/counting_watch.h"
#include "profiler/inject/driver.h"
#include "profiler/inject/exact_counter.h"
#include "profiler/inject/kernel_code.h"
#include "profiler/inject/launch_call.h"
#include "profiler/inject/launch_places.h"
#include "profiler/inject/memory_use.h"
#include "profiler/inject/nvtx_ranges.h"
#include "profiler/inject/profiler_libraries.h"
#include "profiler/inject/program_counters.h"
#include "profiler/inject/program_sampler.h"
#include "profiler/inject/quiet_thread.h"
#include "profiler/inject/replay_counter.h"
#include "profiler/trace/libraries.h"
#include "profiler/trace/rank.h"
#include "profiler/trace/trace.h"

namespace culprit {
namespace {

class Injected;
// Never destroyed: CUDA's threads may still call it while the process ends.
Injected* injected = nullptr;

// How often our thread looks at the window and collects records within it. A process that ends abruptly (a signal,
// _exit) loses at most so much.
constexpr std::chrono::milliseconds kCollect{50};
// How long to wait for our thread when the program ends, and for work that was launched within a window to end.
constexpr std::chrono::seconds kPatience{1};
constexpr std::chrono::milliseconds kGraphPatience{250};
// Between two looks whether it has ended.
constexpr std::chrono::milliseconds kLook{10};
// The least time between two looks at how much memory is in use.
constexpr std::chrono::milliseconds kMemoryLook{100};
// Limits for collecting on the program's own threads: this time, plus a share of its run time.
constexpr std::chrono::milliseconds kFreeCollecting{20};
constexpr double kMostCollecting = 0.01;

std::string CommandLine() {
  std::ifstream in("/proc/self/cmdline", std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  while (!text.empty() && text.back() == '\0') text.pop_back();
  std::ranges::replace(text, '\0', ' ');
  return text;
}

// Both of the driver and of the runtime, which need not call the driver's.
constexpr std::pair<CUpti_CallbackDomain, CUpti_CallbackId> kProfilerStarts[] = {
    {CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuProfilerStart},
    {CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaProfilerStart_v4000}};
constexpr std::pair<CUpti_CallbackDomain, CUpti_CallbackId> kProfilerStops[] = {
    {CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuProfilerStop},
    {CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaProfilerStop_v4000}};

// By the clock of activity records.
std::int64_t Stamp() {
  std::uint64_t ns = 0;
  cuptiGetTimestamp(&ns);
  return static_cast<std::int64_t>(ns);
}

CaptureWindow::Clock::time_point BeganOf(const TracePlan& plan) {
  return CaptureWindow::Clock::time_point(std::chrono::nanoseconds(plan.began_ns));
}

bool Has(const auto& calls, CUpti_CallbackId id) { return std::ranges::find(calls, id) != calls.end(); }

std::unique_ptr<LaunchCounter> CounterOf(const TracePlan& plan, KernelCode& code) {
  if (plan.mode == TraceMode::kExact) return std::make_unique<ExactCounter>(code);
  return std::make_unique<ReplayCounter>(plan.profile == "full" ? MetricSet::kFull : MetricSet::kCore);
}

class Injected {
 public:
  // Does not watch yet.
  Injected(const std::filesystem::path& folder, TracePlan plan)
      : folder_(folder), pid_(getpid()), plan_(std::move(plan)), trace_(folder, pid_) {
    trace_.Process(pid_, getppid(), CommandLine(), {});
    if (const std::optional<int> rank = RankOfThisProcess()) trace_.Rank(*rank);
    trace_.Flush();
  }

  // Writes to the trace what cannot be watched.
  void Begin() {
    std::string why;
    try {
      return Watch();
    } catch (const CuptiError& e) {
      why = e.code() == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED
                ? "the program, or another tool that watches it (ncu, nsys, compute-sanitizer), uses CUPTI already, "
                  "which "
                  "takes one: switch that off and record again"
                : Explain(e).text;
    } catch (const std::exception& e) {
      why = e.what();
    }
    finished_ = true;
    if (subscriber_ != nullptr) cuptiUnsubscribe(subscriber_);
    {
      const std::lock_guard lock(mutex_);
      trace_.Warn({kNotRecorded, why});
      trace_.Complete();
      trace_.Flush();
    }
    NoteCaptured(folder_, pid_);
  }

  // Called in a forked process, whose launches would go into its parent's trace.
  void Abandon() { finished_ = true; }

  void CloseCounters() try {
    if (getpid() == pid_ && counters_) counters_->Close();
  } catch (...) {  // out of memory: nothing may be thrown while the program ends
  }

  void Finish() try {
    if (getpid() != pid_) return;  // a forked child that does not use CUDA
    {
      const std::unique_lock collecting(collect_mutex_, kPatience);
      if (finished_.exchange(true)) return;
    }
    WriteEnd();
  } catch (...) {  // out of memory: nothing may be thrown while the program ends
  }

 private:
  void WriteEnd() {
    if (log_) log_->Collect(true);
    if (watch_) watch_->Close();
    if (sampler_) sampler_->Close();
    const std::lock_guard lock(mutex_);
    if (is_window_written_) trace_.WindowCloses(Stamp());
    is_window_written_ = false;
    if (sampler_) sampler_->Write([this](const std::string& function) { return code_.Code(function); }, trace_);
    if (log_) {
      log_->WriteWindows();
      WriteCode();
      trace_.LaunchesSeen(launches_seen_);
      WriteMemory();
      if (log_->dropped() > 0)
        trace_.Warn({"records_dropped", fmt::format("CUPTI dropped {} activity records", log_->dropped())});
      if (launches_seen_ > log_->kernels())
        trace_.Warn({"launches_without_times",
                     fmt::format("{} of {} launches have no times: does the program use CUPTI itself, as PyTorch's "
                                 "profiler does?",
                                 launches_seen_ - log_->kernels(), launches_seen_.load())});
    }
    if (has_managed_memory_)
      trace_.Warn(
          {"managed_memory",
           "the program allocates managed memory: where the host touched its pages, kernels wait for them, and no "
           "counter says how long (cudaMemPrefetchAsync brings them before)"});
    trace_.OwnMemory(PeakMemory());
    trace_.Complete();
    trace_.Flush();
    if (plan_.mode == TraceMode::kTime) NoteLibraries(folder_, pid_);
  }

  void WriteMemory() {
    const std::lock_guard lock(wait_mutex_);
    if (memory_bytes_ > 0) trace_.MemoryUsed(memory_bytes_);
  }

  void Watch() {
    Check(cuptiSubscribe(&subscriber_, OnEvent, this), "watch the program, which another tool seems to do");
    if (plan_.mode == TraceMode::kTime) {
      log_.emplace(trace_, mutex_, !window_.IsWholeProgram());
      places_.emplace();
      if (plan_.samples_counters) counters_.emplace(trace_, mutex_);
      Enable(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuMemAllocManaged);
    } else if (plan_.mode == TraceMode::kSample) {
      sampler_.emplace(plan_.sampling_period);
      Enable(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_CREATED);
      Enable(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING);
    } else {
      watch_.emplace(plan_, CounterOf(plan_, code_), trace_, mutex_);
      for (const CUpti_CallbackId id : kGraphUpdates) Enable(CUPTI_CB_DOMAIN_DRIVER_API, id);
      for (const CUpti_CallbackId id : kCaptureBegins) Enable(CUPTI_CB_DOMAIN_DRIVER_API, id);
      for (const CUpti_CallbackId id : kCaptureEnds) Enable(CUPTI_CB_DOMAIN_DRIVER_API, id);
    }
    if (watch_ || counters_) LoadProfilerLibrariesEarly();
    if (watch_) EnableCalls(true);
    if (window_.capture().kind == CaptureKind::kProfilerApi)
      for (const auto* calls : {&kProfilerStarts, &kProfilerStops})
        for (const auto& [domain, id] : *calls) Enable(domain, id);
    for (const CUpti_CallbackId id :
         {CUPTI_CBID_RESOURCE_MODULE_LOADED, CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING,
          CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED, CUPTI_CBID_RESOURCE_GRAPHEXEC_DESTROY_STARTING})
      Enable(CUPTI_CB_DOMAIN_RESOURCE, id);
    // Also outside of the window: a range that began before it is the path of launches within.
    cuptiEnableDomain(1, subscriber_, CUPTI_CB_DOMAIN_NVTX);
    {
      const std::lock_guard lock(turn_mutex_);
      if (window_.IsOpen()) Open();
    }
    StartQuietThread([this] { LookNowAndThen(); });
  }

  void Enable(CUpti_CallbackDomain domain, CUpti_CallbackId id, bool on = true) {
    cuptiEnableCallback(on ? 1 : 0, subscriber_, domain, id);
  }

  // What is called at each launch, and at each wait.
  void EnableCalls(bool on) {
    for (const CUpti_CallbackId id : kLaunchCalls) Enable(CUPTI_CB_DOMAIN_DRIVER_API, id, on);
    for (const CUpti_CallbackId id : kGraphCalls) Enable(CUPTI_CB_DOMAIN_DRIVER_API, id, on);
    if (!log_) return;
    cuptiEnableDomain(on ? 1 : 0, subscriber_, CUPTI_CB_DOMAIN_SYNCHRONIZE);
    for (const CUpti_CallbackId id : kWaitingCopies) Enable(CUPTI_CB_DOMAIN_DRIVER_API, id, on);
  }

  void Follow(WindowTurn turn) {
    if (turn == WindowTurn::kOpens) Open();
    if (turn == WindowTurn::kCloses) Close();
  }

  // This and what follows until LookAtWindow is called under turn_mutex_.
  void Open() {
    if (log_ && !is_logging_) Log();
    if (counters_) counters_->Resume();
    if (sampler_) sampler_->Open();
    if (!watch_) EnableCalls(true);
    if (window_.IsWholeProgram()) return;
    const std::lock_guard lock(mutex_);
    const std::int64_t now = Stamp();
    trace_.WindowOpens(now);
    if (log_) log_->WindowOpens(now);
    is_window_written_ = true;
  }

  void Log() try {
    log_->Enable();
    is_logging_ = true;
  } catch (const CuptiError& e) {
    if (window_.IsWholeProgram()) throw;  // to Begin
    const std::lock_guard lock(mutex_);
    trace_.Warn({kNotRecorded, Explain(e).text});
  }

  // What was launched within is still to be recorded: StopLogging comes later.
  void Close() {
    if (counters_) counters_->Pause();
    if (sampler_) sampler_->Pause();
    closed_at_ = std::chrono::steady_clock::now();
    if (window_.IsWholeProgram()) return;
    const std::lock_guard lock(mutex_);
    const std::int64_t now = Stamp();
    trace_.WindowCloses(now);
    if (log_) log_->WindowCloses(now);
    is_window_written_ = false;
  }

  // Nobody tells how many kernels a graph has launched.
  bool HasDrained() const {
    const auto closed = std::chrono::steady_clock::now() - closed_at_;
    const bool had_graphs = work_ > launches_seen_;
    return closed > kPatience || (log_->kernels() >= launches_seen_ && (!had_graphs || closed > kGraphPatience));
  }

  // Outside of the window nothing costs the program time.
  void StopLogging() {
    log_->Disable();
    EnableCalls(false);
    is_logging_ = false;
  }

  // The window is over. The program goes on, without us.
  void End() {
    while (log_ && is_logging_ && !HasDrained()) {
      log_->Collect(false);
      std::this_thread::sleep_for(kLook);
    }
    if (counters_) counters_->Close();
    while (sampler_ && !sampler_->HasFollowed() && std::chrono::steady_clock::now() < closed_at_ + kPatience)
      std::this_thread::sleep_for(kLook);
    if (finished_.exchange(true)) return;
    if (sampler_) sampler_->CloseElsewhere();
    WriteEnd();
    if (log_ && is_logging_) StopLogging();
    if (!watch_) EnableCalls(false);  // a launch may hold the watch's lock
    Enable(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuMemAllocManaged, false);
    for (const CUpti_CallbackDomain domain : {CUPTI_CB_DOMAIN_NVTX, CUPTI_CB_DOMAIN_RESOURCE})
      cuptiEnableDomain(0, subscriber_, domain);
    NoteCaptured(folder_, pid_);
  }

  void Flush() {
    const std::lock_guard lock(mutex_);
    trace_.Flush();
  }

  // Writes code as soon as a new kernel has run, so that a killed process has written it.
  void WriteCode() {
    if (log_->symbols().size() == symbols_written_) return;
    code_.Write([&](const std::string& symbol) { return log_->symbols().contains(symbol); }, trace_);
    symbols_written_ = log_->symbols().size();
  }

  // The program waited for the GPU. It may end by _exit or a signal next, so finished work is collected at once, as
  // long as that takes little of its time.
  void CollectAfterWait() {
    const auto begin = std::chrono::steady_clock::now();
    {
      const std::lock_guard lock(wait_mutex_);
      if (work_ == collected_at_ || collecting_ > kFreeCollecting + kMostCollecting * (begin - begin_)) return;
      collected_at_ = work_;
    }
    log_->Collect(false);
    Flush();
    const std::lock_guard lock(wait_mutex_);
    collecting_ += std::chrono::steady_clock::now() - begin;
  }

  // How much of it is in use, which a replay saves (bench/program/plan.cpp). On a thread that has just used its context.
  void LookAtMemory() {
    const std::int64_t now =
        std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch())
            .count();
    std::size_t free = 0, total = 0;
    if (!log_ || Driver::Get().memory_info == nullptr || now - memory_seen_ms_.exchange(now) < kMemoryLook.count() ||
        Driver::Get().memory_info(&free, &total) != CUDA_SUCCESS)
      return;
    const std::lock_guard lock(wait_mutex_);
    memory_bytes_ = std::max(memory_bytes_, static_cast<std::int64_t>(total - std::min(free, total)));
  }

  // The time that counting takes is not the program's.
  CaptureWindow::Clock::time_point ProgramTime() const {
    const auto now = CaptureWindow::Clock::now();
    return watch_ ? now - watch_->Spent() : now;
  }

  void LookAtWindow() {
    const std::lock_guard lock(turn_mutex_);
    const bool ends = plan_.ends_when_counted || window_.capture().EndsByItself();
    if (IsCaptureStopped(folder_) || (watch_ && ends && watch_->IsDone()))
      Follow(window_.Stop());
    else
      Follow(window_.OnTime(ProgramTime()));
    if (!window_.IsOpen() && !window_.IsOver() && is_logging_ && HasDrained()) StopLogging();
  }

  void LookNowAndThen() try {
    for (;;) {
      std::this_thread::sleep_for(kCollect);
      const std::lock_guard collecting(collect_mutex_);
      if (finished_) return;
      LookAtWindow();
      if (window_.IsOver()) {
        const std::lock_guard turn(turn_mutex_);
        return End();
      }
      if (!log_ || !is_logging_) continue;
      log_->Collect(false);
      const std::lock_guard lock(mutex_);
      WriteCode();
      trace_.Flush();
    }
  } catch (...) {  // out of memory: the rest is collected at the end
  }

  // Of the program's own threads: an NVTX range or a call of the profiler API.
  void FollowProgram(const std::function<WindowTurn()>& turn) {
    const std::lock_guard lock(turn_mutex_);
    Follow(turn());
  }

  static void CUPTIAPI OnEvent(void* self, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
    if (is_our_call || data == nullptr) return;
    is_our_call = true;
    try {
      static_cast<Injected*>(self)->Take(domain, id, data);
    } catch (...) {  // out of memory: nothing may be thrown through CUDA
    }
    is_our_call = false;
  }

  void Take(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
    if (window_.capture().kind == CaptureKind::kProfilerApi)
      for (const auto* calls : {&kProfilerStarts, &kProfilerStops})
        if (std::ranges::find(*calls, std::pair(domain, id)) != std::end(*calls)) {
          if (!finished_ && static_cast<const CUpti_CallbackData*>(data)->callbackSite == CUPTI_API_ENTER)
            FollowProgram([&] { return window_.OnProfiler(calls == &kProfilerStarts); });
          return;
        }
    // Always release what a launch holds, even while the program ends.
    if (domain == CUPTI_CB_DOMAIN_DRIVER_API &&
        static_cast<const CUpti_CallbackData*>(data)->callbackSite == CUPTI_API_EXIT) {
      if (!Has(kWaitingCopies, id)) return OnLaunched(id, *static_cast<const CUpti_CallbackData*>(data));
      if (finished_) return;
      LookAtMemory();
      CollectAfterWait();
      return;
    }
    if (finished_) return;
    if (domain == CUPTI_CB_DOMAIN_SYNCHRONIZE) {
      CollectAfterWait();
    } else if (domain == CUPTI_CB_DOMAIN_NVTX) {
      const std::optional<NvtxTurn> range = OnNvtxCall(id, *static_cast<const CUpti_NvtxData*>(data));
      if (range && window_.capture().kind == CaptureKind::kRange)
        FollowProgram([&] { return window_.OnRange(range->name, range->begins); });
    } else if (domain == CUPTI_CB_DOMAIN_RESOURCE) {
      OnResource(id, *static_cast<const CUpti_ResourceData*>(data));
    } else if (domain == CUPTI_CB_DOMAIN_DRIVER_API) {
      OnLaunch(id, *static_cast<const CUpti_CallbackData*>(data));
    }
  }

  void OnLaunched(CUpti_CallbackId id, const CUpti_CallbackData& call) {
    const auto* const result = static_cast<const CUresult*>(call.functionReturnValue);
    const bool failed = result != nullptr && *result != CUDA_SUCCESS;
    if (id == CUPTI_DRIVER_TRACE_CBID_cuMemAllocManaged) {
      if (!failed) has_managed_memory_ = true;
      return;
    }
    if (watch_ && Has(kGraphUpdates, id)) {
      if (!failed && !finished_) watch_->NoteUpdate(id, call);
      return;
    }
    if (watch_ && (Has(kCaptureBegins, id) || Has(kCaptureEnds, id))) {
      if (Has(kCaptureBegins, id) ? failed : result == nullptr || EndsCapture(*result)) watch_->NoteCapture(false);
      return;
    }
    if (watch_) watch_->Exit(failed);
    if (sampler_ && !failed && !finished_) {
      const std::optional<LaunchCall> launch = LaunchCallOf(id, call);
      if (launch ? !IsCaptured(launch->stream) : GraphCallOf(id, call).has_value())
        sampler_->NoteLaunch(call.context, launch && call.symbolName != nullptr ? call.symbolName : "");
    }
    if (!failed || !log_ || !LaunchCallOf(id, call)) return;
    if (log_->ForgetLaunch(call.correlationId) || window_.IsWholeProgram()) --launches_seen_;
  }

  void OnResource(CUpti_CallbackId id, const CUpti_ResourceData& data) {
    switch (id) {
      case CUPTI_CBID_RESOURCE_MODULE_LOADED: {
        const auto* const module = static_cast<const CUpti_ModuleResourceData*>(data.resourceDescriptor);
        if (module != nullptr && plan_.mode != TraceMode::kCount) code_.Keep(module->pCubin, module->cubinSize);
        return;
      }
      case CUPTI_CBID_RESOURCE_CONTEXT_CREATED:
        if (sampler_) sampler_->Begin(data.context);
        return;
      case CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING:
        if (sampler_) sampler_->ReadAll();
        return;
      case CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING:
        if (watch_) watch_->ForgetContext(data.context);
        if (sampler_) sampler_->Forget(data.context);
        return;
      case CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED:
      case CUPTI_CBID_RESOURCE_GRAPHEXEC_DESTROY_STARTING: {
        const auto* const graph = static_cast<const CUpti_GraphData*>(data.resourceDescriptor);
        if (graph == nullptr || !watch_) return;
        if (id == CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED)
          watch_->NoteGraph(graph->graphExec, graph->graph);
        else
          watch_->ForgetGraph(graph->graphExec);
        return;
      }
      default:
        return;
    }
  }

  void OnLaunch(CUpti_CallbackId id, const CUpti_CallbackData& call) {
    if (watch_ && Has(kCaptureBegins, id)) return watch_->NoteCapture(true);
    const std::optional<LaunchCall> launch = LaunchCallOf(id, call);
    const std::optional<GraphCall> graph = GraphCallOf(id, call);
    if (!launch && !graph) return;
    if (launch && places_ && window_.IsOpen()) NotePlace(call.symbolName, launch->geometry);
    if (IsCaptured(launch ? launch->stream : graph->stream)) return;
    if (!window_.IsOpen()) {
      if (watch_) watch_->EnterOther(call.context, graph);
      return;
    }
    const int device = NoteContext(call.context);
    if (counters_) counters_->NoteLaunch(device);
    ++work_;
    if (launch) ++launches_seen_;
    const std::string& path = NvtxPath();
    if (log_) {
      if (!path.empty() || !window_.IsWholeProgram()) log_->NoteLaunch(call.correlationId, path);
    } else if (!watch_) {  // the sampler notes kernels when they are launched
    } else if (launch) {
      watch_->Enter(call.context, {call.symbolName != nullptr ? call.symbolName : "", launch->geometry}, path);
    } else {
      watch_->EnterGraph(call.context, *graph, path);
    }
  }

  // Before it is known whether the launch succeeds, because the thread launches from here. What is captured into a graph
  // runs later, but its place in the program is this one.
  void NotePlace(const char* symbol, const LaunchGeometry& geometry) {
    const std::string& path = NvtxPath();
    std::vector<PythonFrame> frames = places_->OfFirst(symbol, geometry, path);
    if (frames.empty()) return;
    const std::lock_guard lock(mutex_);
    trace_.Stack({symbol, geometry, NormalRange(path), std::move(frames)});
  }

  // The context's device.
  int NoteContext(CUcontext context) {
    static thread_local CUcontext last = nullptr;
    static thread_local int last_device = 0;
    if (context == last || context == nullptr) return last_device;
    std::uint32_t device = 0;
    if (cuptiGetDeviceId(context, &device) != CUPTI_SUCCESS) return last_device;
    last = context;
    last_device = static_cast<int>(device);
    NoteDevice(device);
    return last_device;
  }

  // Writes it once. Calls CUDA outside the lock, since CUDA may wait for a kernel.
  void NoteDevice(std::uint32_t device) {
    {
      const std::lock_guard lock(mutex_);
      if (!devices_.insert(device).second) return;
    }
    const Toolchain toolchain = CurrentToolchain();
    const int ordinal = static_cast<int>(device);
    std::optional<TracedDevice> traced;
    std::string why;
    try {
      traced = {DeviceUuid(ordinal), DescribeDevice(ordinal)};
      if (watch_ || counters_) traced->device.chip = ChipName();  // this call arms CUPTI's profiler
    } catch (const Error& e) {
      why = e.what();
    }
    {
      const std::lock_guard lock(mutex_);
      trace_.Process(pid_, getppid(), CommandLine(), toolchain);
      if (traced)
        trace_.AddDevice(ordinal, *traced);
      else
        trace_.Warn({"device_unknown", why});
      trace_.Flush();
    }
    if (!counters_ || !traced) return;
    counters_->Begin(ordinal, traced->device.chip);
    // Sampling loads a library of CUPTI that ends in a handler of exit. A handler that is registered later runs before.
    const auto close = [] { injected->CloseCounters(); };
    std::atexit(close);
    std::at_quick_exit(close);
  }

  const std::filesystem::path folder_;
  const pid_t pid_;
  const TracePlan plan_;
  // Guards the window and what is switched on for it. Locked before mutex_, and held while CUPTI is called.
  std::mutex turn_mutex_;
  CaptureWindow window_{plan_.capture, BeganOf(plan_)};
  bool is_logging_ = false;                          // records are switched on
  std::chrono::steady_clock::time_point closed_at_;  // the window
  std::timed_mutex mutex_;                           // guards trace_
  TraceWriter trace_;
  CUpti_SubscriberHandle subscriber_ = nullptr;
  KernelCode code_{plan_.mode != TraceMode::kTime};
  std::atomic<bool> has_managed_memory_ = false;
  std::optional<ActivityLog> log_;
  std::optional<LaunchPlaces> places_;
  std::optional<ProgramCounters> counters_;
  std::optional<CountingWatch> watch_;
  std::optional<ProgramSampler> sampler_;
  bool is_window_written_ = false;  // as open; guarded by mutex_, like the next two
  std::size_t symbols_written_ = 0;
  std::set<std::uint32_t> devices_;
  std::timed_mutex collect_mutex_;  // held by our thread while it collects, and by Finish
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::atomic<std::int64_t> memory_seen_ms_ = 0;  // when LookAtMemory was called last
  std::mutex wait_mutex_;                         // guards the next three
  std::int64_t memory_bytes_ = 0;
  std::int64_t collected_at_ = 0;
  std::chrono::steady_clock::duration collecting_{0};
  std::atomic<std::int64_t> launches_seen_ = 0, work_ = 0;  // work_: also graphs
  std::atomic<bool> finished_ = false;
};

void Start() {
  static std::once_flag once;
  std::call_once(once, [] {
    const char* const folder = std::getenv(kTraceFolderVariable);
    if (folder == nullptr || *folder == '\0') return;
    try {
      TracePlan plan = ReadPlan(folder);
      if (!plan.ranks.empty() && std::ranges::find(plan.ranks, RankOfThisProcess()) == plan.ranks.end()) return;
      injected = new Injected(folder, std::move(plan));
      const auto finish = [] { injected->Finish(); };
      std::atexit(finish);
      std::at_quick_exit(finish);
      pthread_atfork(nullptr, nullptr, [] { injected->Abandon(); });
      injected->Begin();
    } catch (const std::exception&) {  // cannot be reported here: culprit says that nothing was recorded
    }
  });
}

}  // namespace
}  // namespace culprit

// CUDA calls this while it initialises.
extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  culprit::Start();
  return 1;
}

// NVTX calls this at the program's first NVTX call, with the arguments that CUPTI's own function takes.
extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(void* exports) {
  culprit::Start();
  const std::filesystem::path cupti = culprit::CuptiLibrary();
  if (cupti.empty()) return 0;
  void* const handle = dlopen(cupti.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return 0;
  const auto start = reinterpret_cast<int (*)(void*)>(dlsym(handle, "InitializeInjectionNvtx2"));
  return start != nullptr ? start(exports) : 0;
}
