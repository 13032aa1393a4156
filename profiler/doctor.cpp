// SPDX-License-Identifier: Apache-2.0
// The program that `culprit doctor` runs: it says in plain sentences what works on this machine. Status 0: all that
// measuring needs; 2: something is missing.
#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>

#include "db/error.h"
#include "db/sampled_counters.h"
#include "profiler/cuda_context.h"
#include "profiler/cupti_call.h"
#include "profiler/device_info.h"
#include "profiler/doctor_kernel.h"
#include "profiler/metric_host.h"
#include "profiler/range_collector.h"
#include "profiler/sampled_collector.h"
#include "profiler/sampling_plan.h"
#include "profiler/sampling_session.h"
#include "profiler/timer.h"

namespace culprit {
namespace {

class Sheet {
 public:
  explicit Sheet(std::ostream& out) : out_(out) {}
  void Fine(const std::string& sentence) { fmt::print(out_, "ok       {}\n", sentence); }
  void Note(const std::string& sentence) { fmt::print(out_, "note     {}\n", sentence); }
  void Trouble(const std::string& sentence) {
    fmt::print(out_, "trouble  {}\n", sentence);
    troubled_ = true;
  }
  bool troubled() const { return troubled_; }

 private:
  std::ostream& out_;
  bool troubled_ = false;
};

// The module parameter that decides who may read counters; empty when the file is not there.
std::string RestrictedToAdmins() {
  std::ifstream file("/proc/driver/nvidia/params");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("RmProfilingAdminOnly:")) return line.substr(line.find(':') + 2);
  return "";
}

// "13.0" as a number that compares: 12.10 is newer than 12.9.
int VersionNumber(const std::string& version) {
  int major = 0, minor = 0;
  std::sscanf(version.c_str(), "%d.%d", &major, &minor);
  return 1000 * major + minor;
}

void SayToolkit(Sheet& sheet, const Toolchain& t) {
  sheet.Fine(fmt::format("built with nvcc {} and {}; CUDA runtime {}, CUPTI API {}", t.nvcc, t.host_compiler,
                         t.cuda_runtime, t.cupti.empty() ? "unknown" : t.cupti));
  if (t.cuda_driver_api.empty())
    return sheet.Trouble("no NVIDIA driver is loaded: install one; until then only static attributes can be recorded");
  sheet.Fine(
      fmt::format("driver {} supports CUDA {}", t.driver.empty() ? "(version unknown)" : t.driver, t.cuda_driver_api));
  if (VersionNumber(t.cuda_driver_api) < VersionNumber(t.cuda_runtime))
    sheet.Note(fmt::format(
        "the driver supports CUDA {}, which is older than the runtime {}: update the driver if launches fail",
        t.cuda_driver_api, t.cuda_runtime));
}

void SayClocks(Sheet& sheet, const Device& device) {
  Timer timer(CacheState::kHot);
  for (int i = 0; i < 50; ++i) timer.Measure([] { LaunchDoctorKernel(nullptr); });
  const auto samples = timer.TakeSamples();
  if (!samples.back().clock_mhz) return sheet.Note("the SM clock could not be measured");
  sheet.Fine(fmt::format("SM clock {:.0f} MHz measured, {:.0f} MHz is the maximum", *samples.back().clock_mhz,
                         device.sm_clock_mhz));
  if (*samples.back().clock_mhz < 0.9 * device.sm_clock_mhz)
    sheet.Note(
        "the clock is well below its maximum: power or temperature limits, or locked clocks; compare cycles rather "
        "than times");
}

std::size_t Values(const std::vector<Reading>& readings) {
  return static_cast<std::size_t>(
      std::ranges::count_if(readings, [](const Reading& reading) { return reading.value.has_value(); }));
}

void SayReplayed(Sheet& sheet, const Device& device, const Counted& work) {
  RangeCollector collector(MetricSet::kCore, device.chip);
  const std::vector<Reading> readings = collector.Collect({&work, 1}).front().front();
  if (collector.Trouble()) return sheet.Trouble(collector.Trouble()->text);
  sheet.Fine(fmt::format("hardware counters work: {} of {} core metrics read in {} passes", Values(readings),
                         readings.size(), collector.Cost().passes));
}

// What `culprit record` counts with by default.
void SaySampled(Sheet& sheet, const Device& device, const Counted& work) {
  if (CounterTurnsOn(device.chip).empty())
    return sheet.Note(
        "this GPU cannot sample counters while a program runs, or culprit does not know how: record with "
        "--profile=core, which replays kernels");
  SampledCollector collector(device.chip);
  const std::vector<Reading> readings = collector.Collect({&work, 1}).front().readings;
  const std::size_t values = Values(readings);
  if (values > 0)
    sheet.Fine(fmt::format("counters can be sampled while a program runs: {} of {} read", values, readings.size()));
  for (const Warning& warning : collector.Warnings())
    values > 0 ? sheet.Note(warning.text) : sheet.Trouble(warning.text);
}

void SayInstructions(Sheet& sheet) try {
  const auto session = StartSampling(CurrentContext(), kUsualPeriod);
  session->Start();
  LaunchDoctorKernel(nullptr);
  CheckCuda(cudaDeviceSynchronize(), "wait for a kernel");
  session->Stop();
  sheet.Fine("sampling of instructions starts and stops");
} catch (const CuptiError& e) {
  const bool is_unsupported = StatusOf(e.code()) == ReadingStatus::kUnsupported;
  is_unsupported ? sheet.Note(NotSampled(e).text) : sheet.Trouble(NotSampled(e).text);
} catch (const Error& e) {
  sheet.Trouble(NotSampled(e).text);
}

void SayCounters(Sheet& sheet, const Device& device) {
  if (device.chip.empty())
    return sheet.Trouble(
        "CUPTI does not know this GPU or cannot start: if ncu or nsys runs this program, run it alone; otherwise "
        "install a newer toolkit");
  for (const char* variable : {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"})
    if (std::getenv(variable) != nullptr)
      sheet.Note(fmt::format("{} is set: another tool attaches to this process", variable));
  if (const std::string only = RestrictedToAdmins(); !only.empty())
    sheet.Fine(only == "1" ? "the driver lets only administrators read counters"
                           : "the driver lets everybody read counters");
  const Counted work{{}, [] { LaunchDoctorKernel(nullptr); }};
  SayReplayed(sheet, device, work);
  SaySampled(sheet, device, work);
  SayInstructions(sheet);
}

int Doctor(std::ostream& out) {
  Sheet sheet(out);
  SayToolkit(sheet, CurrentToolchain());
  std::string why;
  const auto device = CurrentDevice(&why);
  if (!device) {
    sheet.Trouble(why);
    return 2;
  }
  int gpus = 0;
  CheckCuda(cudaGetDeviceCount(&gpus), "count the GPUs");
  int current = 0;
  CheckCuda(cudaGetDevice(&current), "ask for the current GPU");
  for (int i = 0; i < gpus; ++i)
    if (i != current) sheet.Fine(fmt::format("another GPU, {}: {}", i, DescribeDevice(i).name));
  std::size_t free_bytes = 0, total_bytes = 0;
  CheckCuda(cudaMemGetInfo(&free_bytes, &total_bytes), "ask for free device memory");
  sheet.Fine(fmt::format("{} ({}, compute capability {}.{}, {} SMs)", device->name,
                         device->chip.empty() ? "chip unknown" : device->chip, device->cc_major, device->cc_minor,
                         device->sm_count));
  const double gib = 1 << 30;
  sheet.Fine(fmt::format("{:.1f} GiB of {:.1f} GiB device memory free", static_cast<double>(free_bytes) / gib,
                         static_cast<double>(total_bytes) / gib));
  if (free_bytes < total_bytes / 2)
    sheet.Note("more than half of device memory is in use: another program uses this GPU, which may make times longer");
  SayClocks(sheet, *device);
  SayCounters(sheet, *device);
  return sheet.troubled() ? 2 : 0;
}

}  // namespace
}  // namespace culprit

int main() try { return culprit::Doctor(std::cout); } catch (const culprit::Error& error) {
  std::cerr << error.what() << '\n';
  return 2;
}
