// SPDX-License-Identifier: Apache-2.0
#include "analysis/launch/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/number/name_in.h"
#include "db/machine_figure.h"
#include "profiler/code/chip.h"

namespace culprit {
namespace {

// Bytes that L1 serves in a cycle on every SM since Volta: a wavefront of shared memory, or four sectors.
constexpr double kL1Bytes = 128;

// An SM of compute capability kL2Cc gets kL2Bytes from L2 in a cycle while all SMs read. docs/evidence/cupti.md says
// how this was measured.
constexpr int kL2Cc = 90;
constexpr double kL2Bytes = 33.3;

// Bytes that an SM of an H100 SXM gets from device memory in a cycle.
constexpr double kDramBytes = 12.8;

// Bytes that an SM of an H200 SXM gets from the host's memory in a cycle: 33.6 MB in 658 us, by PCIe 5.0 with 16 lanes.
constexpr double kHostBytes = 0.2;

// Cycles of FFMA and DFMA: Z. Jia et al., "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking", 2018.
constexpr double kFp32Latency = 4, kFp64Latency = 8;

// Cycles in which the SMs of an H200 idle during a launch. Among 484 launches the least was 2,450, and one in ten had
// less than 3,700.
constexpr double kStartCycles = 3500;

struct DurationClass {
  double below_us;
  double change;
  double in_turns;
};

struct MeasuredFloor {
  std::string_view device;
  std::span<const DurationClass> classes;  // ascending
  double clock_change;
  std::string_view pairs;
};

constexpr double kAnyLonger = std::numeric_limits<double>::infinity();

// 489 pairs of launches with equal machine code, from two of seven runs each, minutes to hours apart and partly on
// other machines: docs/evidence/noise.md. Change of cycles, estimated from 16 samples per launch: the 99th percentile of the 468
// pairs of 40 us or more (1.01 %); below that, with 13 and 8 pairs, the largest (1.17 % and 3.9 %). Clock: the largest,
// 1.27 %, plus a tenth of it. In turns: the 99th percentile of 9,900 pairs of processes that followed one another, of
// 108 to 207 us; shorter kernels were not measured.
constexpr DurationClass kH100Classes[] = {{10, 0.04, 0.04}, {40, 0.012, 0.012}, {kAnyLonger, 0.010, 0.0035}};
constexpr MeasuredFloor kMeasured[] = {
    {"NVIDIA H100 80GB HBM3", kH100Classes, 0.014, "489 pairs of recordings of one kernel on H100"}};

const DurationClass& ClassOf(const MeasuredFloor& measured, double time_us) {
  return *std::find_if(measured.classes.begin(), measured.classes.end() - 1,
                       [&](const DurationClass& c) { return time_us < c.below_us; });
}

constexpr MeasuredNumber kMeasuredNumbers[] = {
    {figures::kFp32, &Machine::fp32},
    {figures::kAlu, &Machine::alu},
    {figures::kFp64, &Machine::fp64},
    {figures::kXu, &Machine::xu},
    {figures::kFp16, &Machine::fp16_pairs},
    {figures::kWarpMatrix, &Machine::warp_matrix},
    {figures::kL1, &Machine::l1_bytes},
    {figures::kL2, &Machine::l2_bytes},
    {figures::kDram, &Machine::dram_bytes},
    {figures::kHost, &Machine::host_bytes},
    {figures::kFp32Latency, &Machine::fp32_latency},
    {figures::kFp64Latency, &Machine::fp64_latency},
    {figures::kLaunchStart, &Machine::start_cycles},
};

bool Has(std::span<const MachineFigure> measured, std::string_view figure) {
  return std::ranges::any_of(measured, [&](const MachineFigure& f) { return f.name == figure && f.value > 0; });
}

Machine Made(const std::optional<Device>& device, std::span<const MachineFigure> measured) {
  const int cc = device ? 10 * device->cc_major + device->cc_minor : 0;
  const Chip* const chip = FindChip(fmt::format("sm_{}", cc));
  const bool known = chip != nullptr && chip->fp32 > 0;
  const Chip& sm = known ? *chip : *FindChip("sm_90");
  Machine m{.fp32 = sm.fp32,
            .alu = sm.alu,
            .fp64 = sm.fp64,
            .xu = sm.xu,
            .fp16_pairs = sm.fp16_pairs,
            .warp_matrix = sm.warp_matrix,
            .warpgroup_matrix = sm.warpgroup_matrix,
            .l1_bytes = kL1Bytes,
            .l2_bytes = kL2Bytes,
            .dram_bytes = kDramBytes,
            .host_bytes = kHostBytes,
            .fp32_latency = kFp32Latency,
            .fp64_latency = kFp64Latency,
            .start_cycles = kStartCycles,
            .borrowed = {}};
  if (device && device->fp32_lanes_per_sm > 0) m.fp32 = device->fp32_lanes_per_sm;
  const double sm_cycles_per_s = device ? 1e6 * device->sm_clock_mhz * device->sm_count : 0;
  const bool dram_known = sm_cycles_per_s > 0 && device->dram_bytes_per_s > 0;
  if (dram_known) m.dram_bytes = device->dram_bytes_per_s / sm_cycles_per_s;
  for (const auto& [figure, number] : kMeasuredNumbers)
    for (const MachineFigure& f : measured)
      if (f.name == figure && f.value > 0) m.*number = f.value;
  std::vector<std::string> parts;
  if (!known && !Has(measured, figures::kFp64)) parts.push_back("pipes of an H100");
  if (cc != kL2Cc && !Has(measured, figures::kL2)) parts.push_back("L2 of an H200");
  if (!dram_known && !Has(measured, figures::kDram)) parts.push_back("device memory of an H100");
  m.borrowed = fmt::format("{}", fmt::join(parts, ", "));
  return m;
}

// The measured value for the duration nearest to `time_us`; 0: none.
double NoiseWithin(std::span<const MachineFigure> measured, double time_us) {
  double noise = 0, nearest = std::numeric_limits<double>::infinity();
  for (const MachineFigure& f : measured) {
    if (f.name != figures::kCycleNoise || !(f.setting > 0) || !(time_us > 0)) continue;
    const double away = std::abs(std::log(f.setting / time_us));
    if (away < nearest) nearest = away, noise = f.value;
  }
  return noise;
}

}  // namespace

double Machine::CyclesOf(double per_sm_and_cycle) { return 4 * 32 / per_sm_and_cycle; }

std::span<const MeasuredNumber> MeasuredNumbers() { return kMeasuredNumbers; }

Machine KnownMachine(const std::optional<Device>& device) { return Made(device, {}); }

Machine MachineOf(const RunRecord& run) { return Made(run.device, run.machine); }

std::string_view ToText(NoiseOf of) {
  using enum NoiseOf;
  return NameIn<NoiseOf>({{kGpu, "of this GPU"}, {kKind, "of GPUs of its kind"}, {kAssumed, "assumed"}}, of);
}

std::string SourceOfAssumed(std::string_view device, std::string_view pairs) {
  return fmt::format("{}, never measured on {}: {}", ToText(NoiseOf::kAssumed), device.empty() ? "this GPU" : device,
                     pairs);
}

NoiseFloor NoiseFloorOf(std::string_view device, double time_us, std::span<const MachineFigure> measured) {
  NoiseFloor largest;
  for (const MeasuredFloor& known : kMeasured) {
    const DurationClass& of_duration = ClassOf(known, time_us);
    const NoiseFloor floor{of_duration.change, fmt::format("{}: {}", ToText(NoiseOf::kKind), known.pairs),
                           known.clock_change, of_duration.in_turns};
    if (known.device == device) return floor;
    if (largest.change < floor.change) {
      largest = floor;
      largest.source = SourceOfAssumed(device, known.pairs);
    }
    largest.clock_change = std::max(largest.clock_change, floor.clock_change);
    largest.in_turns = std::max(largest.in_turns, floor.in_turns);
  }
  largest.of = NoiseOf::kAssumed;
  if (const double own = NoiseWithin(measured, time_us); own > largest.change) {
    largest.change = own;
    largest.of = NoiseOf::kGpu;
    largest.source = fmt::format("{}: measured within the run", ToText(largest.of));
  }
  return largest;
}

NoiseFloor NoiseFloorOf(const RunRecord& run, double time_us) {
  return NoiseFloorOf(run.device ? run.device->name : "", time_us, run.machine);
}

}  // namespace culprit
