// SPDX-License-Identifier: Apache-2.0
#include "bench/program/gpu_health.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string_view>

#include "analysis/number/format.h"

namespace culprit {
namespace {

struct Reason {
  int policy;  // nvmlPerfPolicyType_t
  std::string_view what;
};
constexpr Reason kReasons[] = {
    {0, "the power limit"}, {1, "temperature"}, {3, "the limit of the board"}, {5, "the limit of the voltage"}};
static_assert(std::size(kReasons) == std::tuple_size_v<decltype(GpuHealth::lowered_us)>);

constexpr double kNsPerUs = 1e3, kMillijoules = 1e3;
constexpr int kOk = 0, kCorrected = 0, kSinceLoaded = 0;  // nvmlReturn_t, nvmlMemoryErrorType_t, nvmlEccCounterType_t

struct ViolationTime {  // nvmlViolationTime_t
  unsigned long long reference_us, violated_ns;
};

struct ComputeProcess {  // nvmlProcessInfo_t
  unsigned pid;
  unsigned long long memory_bytes;
  unsigned gpu_instance, compute_instance;
};
constexpr unsigned kMostProcesses = 256;

class Nvml {
 public:
  explicit Nvml(const std::string& library) : library_(dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL), Close) {
    const auto init = Find<int()>("nvmlInit_v2");
    works_ = init != nullptr && init() == kOk;
  }
  ~Nvml() {
    if (const auto shutdown = works_ ? Find<int()>("nvmlShutdown") : nullptr) shutdown();
  }
  Nvml(const Nvml&) = delete;

  bool Works() const { return works_; }

  // Null if the library has no such function.
  template <class Function>
  Function* Find(const char* name) const {
    return library_ ? reinterpret_cast<Function*>(dlsym(library_.get(), name)) : nullptr;
  }

 private:
  static void Close(void* library) {
    if (library != nullptr) dlclose(library);
  }

  std::unique_ptr<void, void (*)(void*)> library_;
  bool works_ = false;
};

void Add(double value, std::optional<double>& sum) { sum = sum.value_or(0) + value; }

}  // namespace

std::optional<GpuHealth> ReadGpuHealth(const std::string& library) {
  const Nvml nvml(library);
  if (!nvml.Works()) return std::nullopt;
  const auto count = nvml.Find<int(unsigned*)>("nvmlDeviceGetCount_v2");
  const auto device_of = nvml.Find<int(unsigned, void**)>("nvmlDeviceGetHandleByIndex_v2");
  const auto violated = nvml.Find<int(void*, int, ViolationTime*)>("nvmlDeviceGetViolationStatus");
  const auto energy = nvml.Find<int(void*, unsigned long long*)>("nvmlDeviceGetTotalEnergyConsumption");
  const auto errors = nvml.Find<int(void*, int, int, unsigned long long*)>("nvmlDeviceGetTotalEccErrors");
  const auto running = nvml.Find<int(void*, unsigned*, ComputeProcess*)>("nvmlDeviceGetComputeRunningProcesses_v3");
  unsigned gpus = 0;
  if (!count || !device_of || count(&gpus) != kOk || gpus == 0) return std::nullopt;
  GpuHealth health;
  health.at = std::chrono::steady_clock::now();
  health.gpus = static_cast<int>(gpus);
  for (unsigned gpu = 0; gpu < gpus; ++gpu) {
    void* device = nullptr;
    if (device_of(gpu, &device) != kOk) continue;
    for (std::size_t i = 0; violated && i < std::size(kReasons); ++i)
      if (ViolationTime time{}; violated(device, kReasons[i].policy, &time) == kOk)
        Add(static_cast<double>(time.violated_ns) / kNsPerUs, health.lowered_us[i]);
    unsigned long long value = 0;
    if (energy && energy(device, &value) == kOk) Add(static_cast<double>(value) / kMillijoules, health.joules);
    if (errors && errors(device, kCorrected, kSinceLoaded, &value) == kOk)
      Add(static_cast<double>(value), health.corrected_errors);
    unsigned count_of_processes = kMostProcesses;
    std::array<ComputeProcess, kMostProcesses> processes{};
    if (running && running(device, &count_of_processes, processes.data()) == kOk)
      for (const ComputeProcess& one : std::span(processes).first(std::min(count_of_processes, kMostProcesses)))
        health.processes.insert(one.pid);
  }
  return health;
}

std::vector<Warning> HealthWarnings(const GpuHealth& before, const GpuHealth& after) {
  std::vector<Warning> warnings;
  const double us = std::chrono::duration<double, std::micro>(after.at - before.at).count();
  const std::string gpus = after.gpus == 1 ? "the GPU" : fmt::format("the {} GPUs of this machine", after.gpus);
  const auto grew = [](const std::optional<double>& from, const std::optional<double>& to) {
    return from && to ? *to - *from : 0;
  };
  std::string reasons;
  for (std::size_t i = 0; i < std::size(kReasons); ++i)
    if (const double lowered_us = grew(before.lowered_us[i], after.lowered_us[i]); lowered_us > 0)
      reasons += fmt::format("{}{} for {}", reasons.empty() ? "" : ", by ", kReasons[i].what,
                             Format(lowered_us, Unit::kTimeUs));
  if (!reasons.empty()) {
    const double joules = grew(before.joules, after.joules);
    warnings.push_back(
        {"clocks_lowered",
         fmt::format(
             "in the {} in which the program was timed, clocks of {} were lowered by {}.{}", Format(us, Unit::kTimeUs),
             gpus, reasons,
             joules > 0 ? fmt::format(" On average {} W were drawn.", Format(joules / us * 1e6, Unit::kCount)) : "")});
  }
  if (const double errors = grew(before.corrected_errors, after.corrected_errors); errors > 0)
    warnings.push_back(
        {"memory_errors", fmt::format("while the program was timed, {} corrected {} memory errors (ECC).", gpus,
                                      Format(errors, Unit::kCount))});
  std::set<unsigned> others = before.processes;
  others.insert(after.processes.begin(), after.processes.end());
  if (!others.empty())
    warnings.push_back(
        {"other_processes",
         fmt::format("other processes used {} before or after the program was timed, and perhaps meanwhile (process "
                     "{}). On the same GPU, their work makes kernels slower and counts in sampled counters.",
                     gpus, fmt::join(others, ", "))});
  return warnings;
}

}  // namespace culprit
