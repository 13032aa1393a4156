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

// Periods are 2 to the power of p cycles; CUPTI takes p from 5 to 31. At 8 an H200 drops nothing (docs/cupti.md).
inline constexpr int kShortestPeriod = 8;
inline constexpr int kLongestPeriod = 28;
// A process samples at one period: the fewer different ones there are, the fewer processes.
inline constexpr int kPeriodStep = 4;

struct KernelSpan {
  double time_us = 0;
  double clock_mhz = 0;  // of its SMs
  int busy_sms = 0;      // at most: SMs, or blocks where there are fewer
};

// One launch's: each SM that has work gives one a period.
double ExpectedSamples(const KernelSpan& kernel, int period);

// The shortest of the periods at which one launch gives a few hundred thousand at most.
int PeriodFor(const KernelSpan& kernel);

// How many more launches give kWantedSamples, where `launches` of them gave `samples` and took `time_us` each. Bounded,
// so that a kernel that gives none ends.
std::int64_t MoreLaunches(std::int64_t launches, std::int64_t samples, double time_us);

}  // namespace culprit
