// SPDX-License-Identifier: Apache-2.0
#include "analysis/verdict/noise_floor.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>

namespace culprit {
namespace {

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

}  // namespace

NoiseFloor NoiseFloorOf(std::string_view device, double time_us) {
  NoiseFloor largest;
  for (const MeasuredFloor& measured : kMeasured) {
    const NoiseFloor floor{ChangeOf(measured, time_us), std::string(measured.source), measured.clock_change};
    if (measured.device == device) return floor;
    if (largest.change < floor.change) largest = floor;
    largest.clock_change = std::max(largest.clock_change, floor.clock_change);
  }
  largest.source = fmt::format("never measured on {}: {}", device.empty() ? "this GPU" : device, largest.source);
  return largest;
}

}  // namespace culprit
