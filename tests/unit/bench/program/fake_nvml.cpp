// SPDX-License-Identifier: Apache-2.0
// A library with the functions of NVML that we call. FAKE_NVML has the counters of its GPUs, in this order: power,
// temperature, board, voltage (nanoseconds), energy (millijoules), corrected errors, then ids of processes; GPUs are
// separated by ';'. A counter that is '-' is not supported. Without FAKE_NVML there is no driver.
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

namespace {

struct Violation {
  unsigned long long reference_us, violated_ns;
};

struct Process {
  unsigned pid;
  unsigned long long memory_bytes;
  unsigned gpu_instance, compute_instance;
};

using Counters = std::vector<std::string>;
std::vector<Counters> gpus;

int Get(void* device, std::size_t counter, unsigned long long& value) {
  const std::string& text = static_cast<const Counters*>(device)->at(counter);
  if (text == "-") return 3;  // NVML_ERROR_NOT_SUPPORTED
  value = std::stoull(text);
  return 0;
}

}  // namespace

extern "C" {

int nvmlInit_v2() {
  const char* const all = std::getenv("FAKE_NVML");
  if (all == nullptr) return 9;  // NVML_ERROR_DRIVER_NOT_LOADED
  gpus.clear();
  std::istringstream in(all);
  for (std::string one; std::getline(in, one, ';');) {
    std::istringstream counters(one);
    Counters& gpu = gpus.emplace_back();
    for (std::string counter; counters >> counter;) gpu.push_back(counter);
  }
  return 0;
}
int nvmlShutdown() { return 0; }
int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = static_cast<unsigned>(gpus.size());
  return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  *device = &gpus.at(index);
  return 0;
}
int nvmlDeviceGetViolationStatus(void* device, int policy, Violation* time) {
  constexpr int kPlaces[] = {0, 1, -1, 2, -1, 3};
  return Get(device, static_cast<std::size_t>(kPlaces[policy]), time->violated_ns);
}
int nvmlDeviceGetTotalEnergyConsumption(void* device, unsigned long long* energy) { return Get(device, 4, *energy); }
int nvmlDeviceGetComputeRunningProcesses_v3(void* device, unsigned* count, Process* processes) {
  const Counters& texts = *static_cast<const Counters*>(device);
  unsigned found = 0;
  for (std::size_t i = 6; i < texts.size() && found < *count; ++i)
    processes[found++].pid = static_cast<unsigned>(std::stoul(texts[i]));
  *count = found;
  return 0;
}
int nvmlDeviceGetTotalEccErrors(void* device, int type, int counter, unsigned long long* errors) {
  return type == 0 && counter == 0 ? Get(device, 5, *errors) : 2;
}
}
