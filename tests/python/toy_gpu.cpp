// SPDX-License-Identifier: Apache-2.0
// A library that Python programs of tests load in place of a GPU: toy_launch() writes to the trace what the injected
// library would. It is also the tool for NVTX (NVTX_INJECTION64_PATH), so that launches are in the ranges that Python
// has pushed. Without a recorder it does nothing.
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "db/nvtx_range.h"
#include "profiler/inject/capture_window.h"
#include "profiler/inject/launch_places.h"
#include "profiler/trace/trace.h"

namespace {

using namespace culprit;

// As in nvtx3/nvtxDetail/nvtxTypes.h, which is only where CUDA is.
using Function = void (*)();
struct Callbacks {
  std::size_t struct_size;
  int (*get_module_function_table)(int module, Function*** table, unsigned* size);
};
struct VersionInfo {
  std::size_t struct_size;
  std::uint32_t version, reserved;
  void (*set_version)(std::uint32_t version);
};
constexpr std::uint32_t kCallbacks = 1, kVersionInfo = 3;
constexpr int kCore = 1;
constexpr unsigned kRangePushA = 9, kRangePop = 11;

std::vector<std::string> ranges;

std::string Path() {
  std::string path;
  for (const std::string& range : ranges) path += (path.empty() ? "" : "/") + range;
  return path;
}

class Gpu {
 public:
  explicit Gpu(const char* folder)
      : plan_(ReadPlan(folder)),
        writer_(folder, getpid()),
        window_(plan_.capture, CaptureWindow::Clock::time_point(std::chrono::nanoseconds(plan_.began_ns))) {
    writer_.Process(getpid(), getppid(), "toy", {"580.159.04", "13.0", "13.0", "26", "", ""});
    writer_.AddDevice(0, {"GPU-1", {.name = "NVIDIA H200", .chip = "GH100", .cc_major = 9, .sm_count = 132}});
  }
  ~Gpu() {
    if (plan_.mode == TraceMode::kTime) writer_.LaunchesSeen(seen_);
    writer_.Complete();
  }
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  void OnRange(const std::string& name, bool begins) { Follow(window_.OnRange(name, begins)); }
  void OnProfiler(bool begins) { Follow(window_.OnProfiler(begins)); }

  void Launch(const char* kernel, unsigned grid, double us) {
    if (plan_.mode != TraceMode::kTime || !window_.IsOpen()) return;
    const std::string path = Path();
    const auto ns = static_cast<std::int64_t>(1000 * us);
    const LaunchGeometry geometry{grid, 1, 1, 256, 1, 1, 0};
    const std::string& symbol = *symbols_.emplace(kernel).first;
    if (std::vector<PythonFrame> frames = places_.OfFirst(symbol.c_str(), geometry, path); !frames.empty())
      writer_.Stack({symbol, geometry, NormalRange(path), std::move(frames)});
    writer_.Launch({writer_.KernelNumber(kernel), geometry, 0, 1, 7, path.empty() ? -1 : writer_.RangeNumber(path),
                    false, now_ns_, now_ns_ + ns});
    now_ns_ += ns + 1000;
    ++seen_;
  }

 private:
  void Follow(WindowTurn turn) {
    if (turn == WindowTurn::kOpens) writer_.WindowOpens(now_ns_);
    if (turn == WindowTurn::kCloses) writer_.WindowCloses(now_ns_);
  }

  const TracePlan plan_;
  TraceWriter writer_;
  CaptureWindow window_;
  LaunchPlaces places_;
  std::set<std::string> symbols_;
  std::int64_t now_ns_ = 1'700'000'000'000'000'000, seen_ = 0;
};

// None: nobody records.
Gpu* TheGpu() {
  static std::optional<Gpu> gpu;
  static const char* const folder = std::getenv(kTraceFolderVariable);
  if (folder != nullptr && !gpu) gpu.emplace(folder);
  return gpu ? &*gpu : nullptr;
}

int Push(const char* name) {
  ranges.emplace_back(name);
  if (Gpu* const gpu = TheGpu()) gpu->OnRange(name, true);
  return static_cast<int>(ranges.size()) - 1;
}
int Pop() {
  if (ranges.empty()) return -1;
  if (Gpu* const gpu = TheGpu()) gpu->OnRange(ranges.back(), false);
  ranges.pop_back();
  return static_cast<int>(ranges.size());
}

}  // namespace

extern "C" int InitializeInjectionNvtx2(const void* (*export_table)(std::uint32_t)) {
  const auto* const version = static_cast<const VersionInfo*>(export_table(kVersionInfo));
  const auto* const callbacks = static_cast<const Callbacks*>(export_table(kCallbacks));
  if (version == nullptr || version->struct_size != sizeof(VersionInfo) || version->version != 3) return 0;
  version->set_version(3);
  if (callbacks == nullptr || callbacks->struct_size != sizeof(Callbacks)) return 0;
  if (export_table(kCallbacks + 100) != nullptr) return 0;
  Function** table = nullptr;
  unsigned size = 0;
  if (callbacks->get_module_function_table(kCore, &table, &size) == 0 || size <= kRangePop || table[size] != nullptr)
    return 0;
  *table[kRangePushA] = reinterpret_cast<Function>(&Push);
  *table[kRangePop] = reinterpret_cast<Function>(&Pop);
  return 1;
}

// Those of the driver that culprit.compare calls, for a process that finds this library as libcuda.so.1.
extern "C" int cuCtxSynchronize() { return 0; }
extern "C" int cuProfilerStart() {
  if (Gpu* const gpu = TheGpu()) gpu->OnProfiler(true);
  return 0;
}
extern "C" int cuProfilerStop() {
  if (Gpu* const gpu = TheGpu()) gpu->OnProfiler(false);
  return 0;
}

extern "C" void toy_launch(const char* kernel, unsigned grid, double us) {
  if (Gpu* const gpu = TheGpu()) gpu->Launch(kernel, grid, us);
}
