// SPDX-License-Identifier: Apache-2.0
#include "profiler/device_info.h"

#include <cuda_runtime_api.h>
#include <cupti_version.h>
#include <fmt/format.h>

#include <fstream>
#include <map>
#include <mutex>
#include <regex>

#include "profiler/cuda_context.h"
#include "profiler/cupti_call.h"

namespace culprit {
namespace {

// FP32 lanes per SM by compute capability: CUDA C++ Programming Guide, table "Throughput of Native Arithmetic
// Instructions", row "32-bit floating-point add, multiply, multiply-add".
int Fp32LanesPerSm(int major, int minor) { return major < 8 || (major == 8 && minor == 0) ? 64 : 128; }

int Attribute(cudaDeviceAttr attribute, int device) {
  int value = 0;
  CheckCuda(cudaDeviceGetAttribute(&value, attribute, device), "ask for a device attribute");
  return value;
}

std::string Version(int v) { return v == 0 ? "" : fmt::format("{}.{}", v / 1000, v % 1000 / 10); }

// The kernel module tells the driver's version; CUDA tells only the supported API version.
std::string DriverVersion() {
  std::ifstream file("/proc/driver/nvidia/version");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  std::smatch match;
  return std::regex_search(text, match, std::regex(R"(\b(\d{3}\.\d+(\.\d+)?)\b)")) ? match[1].str() : "";
}

}  // namespace

// Cached per device, because it never changes. Several threads of an injected program may call it at once. None waits
// for another inside CUDA, whose callbacks may hold locks.
std::string ChipName() {
  static std::mutex mutex;
  static std::map<int, std::string> known;
  int device = 0;
  if (cudaFree(nullptr) != cudaSuccess || cudaGetDevice(&device) != cudaSuccess) return "";
  {
    const std::scoped_lock lock(mutex);
    if (const auto found = known.find(device); found != known.end()) return found->second;
  }
  // Without a context and an initialised profiler this call crashes (CUDA 13.0). Initialising fails under another
  // profiler.
  if (InitializeProfiler() != CUPTI_SUCCESS) return "";
  auto p = Params<CUpti_Device_GetChipName_Params>();
  p.deviceIndex = static_cast<std::size_t>(device);
  if (cuptiDeviceGetChipName(&p) != CUPTI_SUCCESS || p.pChipName == nullptr) return "";
  const std::scoped_lock lock(mutex);
  return known.emplace(device, p.pChipName).first->second;
}

Device DescribeDevice(int ordinal) {
  cudaDeviceProp p{};
  CheckCuda(cudaGetDeviceProperties(&p, ordinal), "ask for device properties");
  Device d;
  d.name = p.name;
  d.cc_major = p.major;
  d.cc_minor = p.minor;
  d.sm_count = p.multiProcessorCount;
  d.fp32_lanes_per_sm = Fp32LanesPerSm(p.major, p.minor);
  d.sm_clock_mhz = Attribute(cudaDevAttrClockRate, ordinal) / 1000.0;  // kHz
  // Two transfers per memory clock: double data rate.
  d.dram_bytes_per_s = 2.0 * 1000.0 * Attribute(cudaDevAttrMemoryClockRate, ordinal) *
                       Attribute(cudaDevAttrGlobalMemoryBusWidth, ordinal) / 8;
  d.memory_bytes = static_cast<std::int64_t>(p.totalGlobalMem);
  d.l2_bytes = p.l2CacheSize;
  d.shared_bytes_per_sm = static_cast<std::int64_t>(p.sharedMemPerMultiprocessor);
  d.registers_per_sm = p.regsPerMultiprocessor;
  d.max_threads_per_sm = p.maxThreadsPerMultiProcessor;
  d.max_blocks_per_sm = p.maxBlocksPerMultiProcessor;
  return d;
}

std::string DeviceUuid(int ordinal) {
  cudaDeviceProp p{};
  CheckCuda(cudaGetDeviceProperties(&p, ordinal), "ask for device properties");
  std::string uuid = "GPU-";
  for (const char byte : p.uuid.bytes) uuid += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return uuid;
}

std::string CurrentDeviceUuid() {
  int ordinal = 0;
  CheckCuda(cudaGetDevice(&ordinal), "ask for the current device");
  return DeviceUuid(ordinal);
}

std::optional<Device> CurrentDevice(std::string* why) {
  int count = 0;
  const cudaError_t found = cudaGetDeviceCount(&count);
  if (found != cudaSuccess || count == 0) {
    if (why != nullptr)
      *why = fmt::format("no CUDA device here: {}", found != cudaSuccess ? cudaGetErrorString(found) : "none listed");
    cudaGetLastError();  // clears the error: having no device is an answer, not a failure
    return std::nullopt;
  }
  int id = 0;
  CheckCuda(cudaGetDevice(&id), "ask for the current device");
  Device d = DescribeDevice(id);
  d.chip = ChipName();
  return d;
}

Toolchain CurrentToolchain() {
  Toolchain t;
  int driver = 0, runtime = 0;
  std::uint32_t cupti = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess) driver = 0;
  if (cudaRuntimeGetVersion(&runtime) != cudaSuccess) runtime = 0;
  if (cuptiGetVersion(&cupti) != CUPTI_SUCCESS) cupti = 0;
  t.driver = DriverVersion();
  t.cuda_driver_api = Version(driver);
  t.cuda_runtime = Version(runtime);
  t.cupti = cupti == 0 ? "" : std::to_string(cupti);
  t.nvcc = CULPRIT_NVCC_VERSION;
  t.host_compiler = CULPRIT_HOST_COMPILER;
  return t;
}

}  // namespace culprit
