// SPDX-License-Identifier: Apache-2.0
#include "profiler/inject/activity_log.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "profiler/cupti_call.h"
#include "profiler/inject/memory_use.h"

namespace culprit {
namespace {

// A kernel's record takes 200 bytes. The buffer is large enough to wake a thread seldom, and small enough to lose
// little when a process is killed.
constexpr std::size_t kBufferBytes = std::size_t{1} << 20, kAlignment = 8;
// All kernels of a launched graph have its correlation id, and nothing marks the last one. So a graph's range is
// forgotten after records of this many later graphs.
constexpr std::size_t kMostGraphs = 4096;

// Newer headers extend the records at the end.
#if CUPTI_API_VERSION >= 130000
using KernelRecord = CUpti_ActivityKernel10;
using CopyRecord = CUpti_ActivityMemcpy6;
#else
using KernelRecord = CUpti_ActivityKernel9;
using CopyRecord = CUpti_ActivityMemcpy5;
#endif
using PeerCopyRecord = CUpti_ActivityMemcpyPtoP4;
using SetRecord = CUpti_ActivityMemset4;

ActivityLog* the_log = nullptr;

CopyKind KindOf(std::uint8_t kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOA:
      return CopyKind::kToDevice;
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOH:
      return CopyKind::kToHost;
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOD:
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOA:
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOD:
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOA:
      return CopyKind::kOnDevice;
    case CUPTI_ACTIVITY_MEMCPY_KIND_PTOP:
      return CopyKind::kBetweenDevices;
    default:
      return CopyKind::kOther;
  }
}

template <class Record>
TracedCopy CopyOf(CopyKind kind, const Record& r) {
  return {kind, static_cast<int>(r.deviceId), static_cast<std::int64_t>(r.bytes), static_cast<std::int64_t>(r.start),
          static_cast<std::int64_t>(r.end)};
}

unsigned Extent(std::int32_t value) { return static_cast<unsigned>(value); }

constexpr CUpti_ActivityKind kKinds[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
                                         CUPTI_ACTIVITY_KIND_MEMCPY2, CUPTI_ACTIVITY_KIND_MEMSET};

}  // namespace

ActivityLog::ActivityLog(TraceWriter& trace, std::timed_mutex& mutex, bool has_window)
    : trace_(trace), mutex_(mutex), has_window_(has_window) {
  the_log = this;
}

void ActivityLog::Enable() {
  if (!is_registered_) Check(cuptiActivityRegisterCallbacks(GiveBuffer, TakeBuffer), "take CUPTI's activity records");
  is_registered_ = true;
  for (const CUpti_ActivityKind kind : kKinds) Check(cuptiActivityEnable(kind), "switch activity records on");
}

void ActivityLog::Disable() {
  for (const CUpti_ActivityKind kind : kKinds) cuptiActivityDisable(kind);
}

void ActivityLog::NoteLaunch(std::uint32_t correlation, const std::string& path) {
  const std::lock_guard lock(ranges_mutex_);
  ranges_[correlation] = {path, window_};
}

bool ActivityLog::ForgetLaunch(std::uint32_t correlation) {
  const std::lock_guard lock(ranges_mutex_);
  return ranges_.erase(correlation) > 0;
}

void ActivityLog::Collect(bool all) { cuptiActivityFlushAll(all ? CUPTI_ACTIVITY_FLAG_FLUSH_FORCED : 0); }

void CUPTIAPI ActivityLog::GiveBuffer(std::uint8_t** buffer, std::size_t* size, std::size_t* records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(kAlignment, kBufferBytes));
  *size = *buffer != nullptr ? kBufferBytes : 0;
  NoteMemory(static_cast<std::int64_t>(*size));
  *records = 0;  // as many as fit
}

void CUPTIAPI ActivityLog::TakeBuffer(CUcontext context, std::uint32_t stream, std::uint8_t* buffer, std::size_t size,
                                      std::size_t valid) {
  try {
    std::size_t dropped = 0;
    cuptiActivityGetNumDroppedRecords(context, stream, &dropped);
    the_log->Take(buffer, valid);
    const std::lock_guard lock(the_log->mutex_);
    the_log->dropped_ += dropped;
  } catch (...) {  // out of memory: nothing may be thrown through CUPTI
  }
  std::free(buffer);
  NoteMemory(-static_cast<std::int64_t>(size));
}

void ActivityLog::Take(std::uint8_t* buffer, std::size_t valid) {
  const std::lock_guard lock(mutex_);
  CUpti_Activity* record = nullptr;
  while (valid > 0 && cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) TakeRecord(*record);
}

void ActivityLog::WindowOpens(std::int64_t ns) {
  windows_.push_back({ns, kStillOpen, kStillOpen, 0});
  window_ = windows_.size() - 1;
}

void ActivityLog::WriteWindows() {
  for (std::size_t i = 0; i < windows_.size(); ++i)
    if (windows_[i].last_ns > 0) trace_.WindowWorked(i, windows_[i].first_ns, windows_[i].last_ns);
}

void ActivityLog::NoteWork(std::size_t window, std::int64_t start_ns, std::int64_t end_ns) {
  if (window >= windows_.size()) return;
  windows_[window].first_ns = std::min(windows_[window].first_ns, start_ns);
  windows_[window].last_ns = std::max(windows_[window].last_ns, end_ns);
}

bool ActivityLog::IsInWindow(std::int64_t start_ns) const {
  const auto next = std::ranges::upper_bound(windows_, start_ns, {}, &TracedWindow::open_ns);
  return next != windows_.begin() && start_ns < std::prev(next)->close_ns;
}

void ActivityLog::Copy(const TracedCopy& copy) {
  if (!has_window_ || IsInWindow(copy.start_ns)) trace_.Copy(copy);
}

std::optional<ActivityLog::NotedKernel> ActivityLog::Find(std::uint32_t correlation, bool from_graph) {
  const std::lock_guard lock(ranges_mutex_);
  const auto found = ranges_.find(correlation);
  if (found == ranges_.end()) return std::nullopt;
  const auto& [path, window] = found->second;
  const NotedKernel noted{path.empty() ? -1 : trace_.RangeNumber(path), window};
  if (!from_graph) {
    ranges_.erase(found);
  } else if (graphs_.empty() || graphs_.back() != correlation) {  // the kernels of a graph follow each other
    graphs_.push_back(correlation);
    if (graphs_.size() > kMostGraphs) {
      ranges_.erase(graphs_.front());
      graphs_.pop_front();
    }
  }
  return noted;
}

void ActivityLog::TakeRecord(const CUpti_Activity& record) {
  switch (record.kind) {
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: {
      const auto& r = reinterpret_cast<const KernelRecord&>(record);
      if (r.start == 0 || r.end < r.start) return;  // it did not end
      const bool from_graph = r.graphId != 0;
      const std::optional<NotedKernel> noted = Find(r.correlationId, from_graph);
      if (has_window_ && !noted) return;
      if (noted) NoteWork(noted->window, static_cast<std::int64_t>(r.start), static_cast<std::int64_t>(r.end));
      if (!from_graph) ++kernels_;
      const std::string symbol = r.name != nullptr ? r.name : "";
      symbols_.insert(symbol);
      trace_.Launch({.kernel = trace_.KernelNumber(symbol),
                     .geometry = {Extent(r.gridX), Extent(r.gridY), Extent(r.gridZ), Extent(r.blockX), Extent(r.blockY),
                                  Extent(r.blockZ), r.dynamicSharedMemory},
                     .device = static_cast<int>(r.deviceId),
                     .context = r.contextId,
                     .stream = r.streamId,
                     .range = noted ? noted->range : -1,
                     .from_graph = from_graph,
                     .start_ns = static_cast<std::int64_t>(r.start),
                     .end_ns = static_cast<std::int64_t>(r.end)});
      return;
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY: {
      const auto& r = reinterpret_cast<const CopyRecord&>(record);
      Copy(CopyOf(KindOf(r.copyKind), r));
      return;
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY2: {
      const auto& r = reinterpret_cast<const PeerCopyRecord&>(record);
      Copy(CopyOf(CopyKind::kBetweenDevices, r));
      return;
    }
    case CUPTI_ACTIVITY_KIND_MEMSET: {
      const auto& r = reinterpret_cast<const SetRecord&>(record);
      Copy(CopyOf(CopyKind::kSet, r));
      return;
    }
    default:
      return;
  }
}

}  // namespace culprit
