// SPDX-License-Identifier: Apache-2.0
#include "analysis/machine/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "db/machine_figure.h"

namespace culprit {
namespace {

// The SM of one compute capability. Source of the operations: CUDA C++ Programming Guide, "Throughput of Native
// Arithmetic Instructions"; of the matrix products: the architecture whitepapers' dense FP16 rates over SMs and clock.
// An HMMA of Hopper reaches half of what a GMMA does.
struct Sm {
  int cc;  // 10 x major + minor
  double fp32, alu, fp64, xu, fp16_pairs, warp_matrix, warpgroup_matrix;
};
constexpr Sm kSms[] = {
    {70, 64, 64, 32, 16, 64, 512, 0},       {75, 64, 64, 2, 16, 64, 512, 0},   {80, 64, 64, 32, 16, 128, 1024, 0},
    {86, 128, 64, 2, 16, 128, 512, 0},      {87, 128, 64, 2, 16, 128, 512, 0}, {89, 128, 64, 2, 16, 64, 512, 0},
    {90, 128, 64, 64, 16, 128, 1024, 2048},
};

// 128 bytes, a wavefront of shared memory or four sectors, on every SM since Volta.
constexpr double kL1Bytes = 128;

// What an SM gets of L2 in a cycle when all of them read: docs/cupti.md has how it was measured.
struct L2 {
  int cc;
  double bytes;
  std::string_view of;
};
constexpr L2 kL2s[] = {{90, 33.3, "an H200"}};

// Of an H100 SXM, for recordings that state no device.
constexpr double kDramBytes = 12.8;

// The least of 484 launches on an H200 idled for 2,450 cycles, one in ten for fewer than 3,700.
constexpr double kStartCycles = 3500;

struct DurationClass {
  double below_us;
  double change;
};

struct MeasuredFloor {
  std::string_view device;
  std::span<const DurationClass> classes;  // ascending
  double clock_change;
  std::string_view source;
};

constexpr double kAnyLonger = std::numeric_limits<double>::infinity();

// 489 pairs of launches with equal machine code, recorded by two of seven runs each, minutes to hours and in part
// machines apart: docs/noise.md. Change: of the cycles, as estimated from 16 samples of each launch, the 99th
// percentile of the 468 pairs of 40 us or more (1.01 %); below, where there are 13 and 8 pairs, the largest (1.17 %
// and 3.9 %). Clock: the largest, 1.27 %, and a tenth of it more.
constexpr DurationClass kH100Classes[] = {{10, 0.04}, {40, 0.012}, {kAnyLonger, 0.010}};
constexpr MeasuredFloor kMeasured[] = {
    {"NVIDIA H100 80GB HBM3", kH100Classes, 0.014, "489 pairs of recordings of one kernel on H100"}};

double ChangeOf(const MeasuredFloor& measured, double time_us) {
  return std::find_if(measured.classes.begin(), measured.classes.end() - 1,
                      [&](const DurationClass& c) { return time_us < c.below_us; })
      ->change;
}

const Sm* FindSm(int cc) {
  const auto found = std::find_if(std::begin(kSms), std::end(kSms), [&](const Sm& sm) { return sm.cc == cc; });
  return found == std::end(kSms) ? nullptr : found;
}

constexpr MeasuredNumber kMeasuredNumbers[] = {
    {figures::kFp32, &Machine::fp32},       {figures::kAlu, &Machine::alu},
    {figures::kFp64, &Machine::fp64},       {figures::kXu, &Machine::xu},
    {figures::kFp16, &Machine::fp16_pairs}, {figures::kWarpMatrix, &Machine::warp_matrix},
    {figures::kL1, &Machine::l1_bytes},     {figures::kL2, &Machine::l2_bytes},
    {figures::kDram, &Machine::dram_bytes}, {figures::kLaunchStart, &Machine::start_cycles},
};

bool Has(std::span<const MachineFigure> measured, std::string_view figure) {
  return std::ranges::any_of(measured, [&](const MachineFigure& f) { return f.name == figure && f.value > 0; });
}

Machine Made(const std::optional<Device>& device, std::span<const MachineFigure> measured) {
  const int cc = device ? 10 * device->cc_major + device->cc_minor : 0;
  const Sm* known = FindSm(cc);
  const Sm& sm = known ? *known : *FindSm(kL2s[0].cc);
  Machine m{.fp32 = sm.fp32,
            .alu = sm.alu,
            .fp64 = sm.fp64,
            .xu = sm.xu,
            .fp16_pairs = sm.fp16_pairs,
            .warp_matrix = sm.warp_matrix,
            .warpgroup_matrix = sm.warpgroup_matrix,
            .l1_bytes = kL1Bytes,
            .l2_bytes = kL2s[0].bytes,
            .dram_bytes = kDramBytes,
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
  if (cc != kL2s[0].cc && !Has(measured, figures::kL2)) parts.push_back(fmt::format("L2 of {}", kL2s[0].of));
  if (!dram_known && !Has(measured, figures::kDram)) parts.push_back("device memory of an H100");
  m.borrowed = fmt::format("{}", fmt::join(parts, ", "));
  return m;
}

// At the duration that was measured next to `time_us`; 0: none was.
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

NoiseFloor NoiseFloorOf(std::string_view device, double time_us, std::span<const MachineFigure> measured) {
  NoiseFloor largest;
  for (const MeasuredFloor& known : kMeasured) {
    const NoiseFloor floor{ChangeOf(known, time_us), std::string(known.source), known.clock_change};
    if (known.device == device) return floor;
    if (largest.change < floor.change) largest = floor;
    largest.clock_change = std::max(largest.clock_change, floor.clock_change);
  }
  largest.source = fmt::format("never measured on {}: {}", device.empty() ? "this GPU" : device, largest.source);
  if (const double own = NoiseWithin(measured, time_us); own > largest.change) {
    largest.change = own;
    largest.source = "measured within the run";
  }
  return largest;
}

}  // namespace culprit
