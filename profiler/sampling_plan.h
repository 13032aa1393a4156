// SPDX-License-Identifier: Apache-2.0
// How densely a kernel is sampled, and how often it is launched for it. No CUDA in here.
#pragma once
#include <cstdint>
#include <string_view>

namespace culprit {

// A share of 0.05 of them is known to within 3 % of itself (one standard deviation of a Poisson count: 1/sqrt(1000)).
inline constexpr std::int64_t kEnoughSamples = 20'000;
// What is aimed at, so that a kernel whose SMs are not busy all the time still has enough.
inline constexpr std::int64_t kWantedSamples = 2 * kEnoughSamples;
// Code of the warning about fewer than kEnoughSamples.
inline constexpr std::string_view kFewSamples = "few_samples";

// Periods are 2 to the power of p cycles; CUPTI takes p from 5 to 31. Warps that all do the same again and again keep
// time with some of them, so that samples are of the same moments of their loops: on an H200 shares of states were up
// to 40 points off at 2^8 cycles and 19 at 2^12, in each repetition alike. At 2^6 the hardware drops about half, and
// not at random. Of 94 launches, the worst of 528 among them, 2^14 was best and 2^11 next (docs/cupti.md).
inline constexpr int kUsualPeriod = 14;
// For kernels that are too short, or keep too few SMs busy, to give enough at that; and for those that give too much.
inline constexpr int kDensePeriod = 11, kDensestPeriod = 7, kSparsePeriod = 20;

struct KernelSpan {
  double time_us = 0;
  double clock_mhz = 0;  // of its SMs
  int busy_sms = 0;      // at most: SMs, or blocks where there are fewer
};

// One launch's: each SM that has work gives one a period.
double ExpectedSamples(const KernelSpan& kernel, int period);

// A process samples at one period: so that there are few processes, the usual one wherever it will do.
int PeriodFor(const KernelSpan& kernel);

// How many more launches give kWantedSamples, where `launches` of them gave `samples` and took `time_us` each. Bounded,
// so that a kernel that gives none ends.
std::int64_t MoreLaunches(std::int64_t launches, std::int64_t samples, double time_us);

}  // namespace culprit
