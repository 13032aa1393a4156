// SPDX-License-Identifier: Apache-2.0
#include "analysis/program/counted_clock.h"

#include <fmt/core.h>

#include <cmath>

#include "analysis/kernel/kernel_view.h"
#include "analysis/render/format.h"

namespace culprit {
namespace {

// Of 17 kernels of two PyTorch trainings on an H200 that nobody changed the clock while counted moved by 0.2 to 1 % in
// 7, and in the others, which take 10 to 60 us, by up to 7 %: beyond 1 % it says nothing of the clock while timed.
constexpr double kOneClock = 0.01;

}  // namespace

std::optional<double> CountedClock(const KernelRecord& kernel) {
  const KernelView view(kernel);
  const Measured mhz = Measured(1e3) * view.Get("sm_cycles_elapsed_max") / view.Get("counted_time_ns");
  return mhz.value();
}

std::string WhatIsLeft(const KernelRecord& base, const KernelRecord& candidate) {
  const auto from = CountedClock(base), to = CountedClock(candidate);
  const char* with_clock = "its inputs, the clock or what ran beside it differ";
  if (!from || !to) return fmt::format("{}; no clock was measured, so its time alone decides", with_clock);
  if (std::abs(std::log(*to / *from)) <= std::log1p(kOneClock))
    return "its inputs or what ran beside it differ; both were counted at one clock";
  return fmt::format("{}; they were counted at {} and {}, so its time alone decides", with_clock,
                     Format(*from, Unit::kMhz), Format(*to, Unit::kMhz));
}

}  // namespace culprit
