// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "analysis/launch/kernel_view.h"
#include "analysis/show/report/profile_formats.h"
#include "analysis/show/report/run_header.h"

namespace culprit {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kNsPerUs = 1000;
// Of names; Bencher refuses longer ones.
constexpr std::size_t kMostName = 1024;

std::string Dumped(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n'; }

// Whole nanoseconds have no digits that depend on the compiler.
double Nanoseconds(double us) { return std::round(us * kNsPerUs); }

// The names differ, because a reader takes equal names for one benchmark.
std::string NameIn(const Json& names, const KernelTime& kernel) {
  const std::string name = fmt::format("{} {}", kernel.kernel.stage.id, kernel.Launch()).substr(0, kMostName - 8);
  std::string free = name;
  for (int n = 2; names.contains(free); ++n) free = fmt::format("{} #{}", name, n);
  return free;
}

}  // namespace

std::string BmfText(std::span<const KernelTime> kernels) {
  Json names = Json::object();
  for (const KernelTime& kernel : kernels) {
    const auto times = KernelView(kernel.kernel).time().time_us;
    if (!times) continue;
    Json latency{{"value", Nanoseconds(times->median)}};
    if (times->q1 && times->q3) {
      latency["lower_value"] = Nanoseconds(*times->q1);
      latency["upper_value"] = Nanoseconds(*times->q3);
    }
    names[NameIn(names, kernel)] = {{"latency", std::move(latency)}};
  }
  return Dumped(names);
}

std::string HudText(const RunSummary& run, std::span<const KernelTime> kernels) {
  Json results = Json::array();
  for (const KernelTime& kernel : kernels) {
    Json values = Json::array();
    for (const Sample& sample : kernel.kernel.samples)
      if (IsKept(sample)) values.push_back(Nanoseconds(sample.time_us) / kNsPerUs);
    if (values.empty()) continue;
    Json about{{"run", run.run.uuid}, {"label", run.run.label}, {"launch", kernel.kernel.launch.shape}};
    if (kernel.kernel.program) about["nvtx"] = kernel.kernel.program->nvtx;
    Json result{{"benchmark", {{"name", "culprit"}, {"extra_info", std::move(about)}}},
                {"model", {{"name", kernel.kernel.stage.id}, {"type", "kernel"}, {"backend", "cuda"}}},
                {"metric", {{"name", "gpu_time_us"}, {"benchmark_values", std::move(values)}}}};
    if (const auto& device = run.run.device) {
      const int gpus = run.run.program ? std::max(run.run.program->gpus, 1) : 1;
      result["runners"] = Json::array({{{"name", device->name},
                                        {"gpu_info", device->name},
                                        {"gpu_count", gpus},
                                        {"avail_gpu_mem_in_gb", device->memory_bytes / 1'000'000'000}}});
    }
    results.push_back(std::move(result));
  }
  return Dumped(results);
}

}  // namespace culprit
