// SPDX-License-Identifier: Apache-2.0
// The time of an empty launch, and how much the time of one launch varies within this process.
#include <cmath>
#include <functional>

#include "db/machine_figure.h"
#include "profiler/empty_kernel.h"
#include "profiler/machine/block_cycles.cuh"
#include "profiler/machine/memory.cuh"
#include "profiler/machine/probes.h"
#include "profiler/timer.h"

namespace culprit {
namespace {

__global__ void CulpritScale(uint4* values, unsigned count) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    uint4 v = values[i];
    v.x += v.y;
    values[i] = v;
  }
}

constexpr int kGroups = 5, kPerGroup = 8;  // as in the meaning of the figure

double MedianOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

// The largest distance between group medians.
double Spread(const std::vector<double>& values) {
  std::vector<double> medians;
  for (int g = 0; g < kGroups; ++g)
    medians.push_back(MedianOf({values.begin() + g * kPerGroup, values.begin() + (g + 1) * kPerGroup}));
  const auto [least, most] = std::minmax_element(medians.begin(), medians.end());
  return *most / *least - 1;
}

}  // namespace

void MeasureLaunches(const Device& device, Figures& into) {
  Timer timer(CacheState::kHot);
  const auto times = [&](const std::function<void()>& launch) {
    for (int i = 0; i < 3; ++i) timer.Measure(launch);
    timer.TakeSamples();
    for (int i = 0; i < kGroups * kPerGroup; ++i) timer.Measure(launch);
    return timer.TakeSamples();
  };
  std::vector<double> empty;
  for (const TimedSample& s : times([] { LaunchEmptyKernel(nullptr); })) empty.push_back(s.time_us);
  AddFigure(into, figures::kLaunchTime, MedianOf(empty));

  const Region region(static_cast<std::uint64_t>(std::clamp<std::int64_t>(device.memory_bytes / 16, 1 << 26, 1 << 29)));
  for (const unsigned part : {256u, 32u, 8u, 1u}) {
    const unsigned count = static_cast<unsigned>(region.lines.count()) / part;
    std::vector<double> us, cycles;
    for (const TimedSample& s : times([&] {
           CulpritScale<<<device.sm_count * 4, 512>>>(region.lines.get(), count);
           CheckCuda(cudaGetLastError(), "launch a kernel that measures the GPU");
         })) {
      us.push_back(s.time_us);
      if (s.clock_mhz) cycles.push_back(s.time_us * *s.clock_mhz);
    }
    const double median = MedianOf(us);
    AddFigure(into, figures::kTimeNoise, Spread(us), median);
    if (cycles.size() == us.size()) AddFigure(into, figures::kCycleNoise, Spread(cycles), median);
  }
}

}  // namespace culprit
