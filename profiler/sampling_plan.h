// SPDX-License-Identifier: Apache-2.0
// Chooses the sampling period of a kernel and how often to launch it. Uses no CUDA.
#pragma once
#include <cstdint>
#include <string_view>

namespace culprit {

// With so many samples, a share of 0.05 has a standard error of 3 % (a Poisson count of 1000: 1/sqrt(1000)).
inline constexpr std::int64_t kEnoughSamples = 20'000;
// We aim for this number, so that a kernel with some idle SMs still gets enough.
inline constexpr std::int64_t kWantedSamples = 2 * kEnoughSamples;
// Code of the warning about fewer than kEnoughSamples samples.
inline constexpr std::string_view kFewSamples = "few_samples";

// Periods are 2^p cycles; CUPTI accepts p from 5 to 31. Loops can run in step with a period, so that samples always hit
// the same points. On an H200, shares of states were wrong by up to 40 percentage points at 2^8 cycles and 19 at 2^12,
// in every repetition. At 2^6 the hardware drops about half of the samples, and not at random. On 94 launches,
// including the worst of 528, 2^14 was best and 2^11 second (docs/evidence/cupti.md).
inline constexpr int kUsualPeriod = 14;
// Shorter periods are for kernels that are short or use few SMs. The longer one is for kernels with too many samples.
inline constexpr int kDensePeriod = 11, kDensestPeriod = 7, kSparsePeriod = 20;

struct KernelSpan {
  double time_us = 0;
  double clock_mhz = 0;  // the SM clock
  int busy_sms = 0;      // upper bound: the number of SMs, or that of blocks if it is smaller
};

// Expected samples of one launch: one per period from each SM with work.
double ExpectedSamples(const KernelSpan& kernel, int period);

// Returns the usual period if possible. A process samples at one period, so fewer periods need fewer processes.
int PeriodFor(const KernelSpan& kernel);

// The number of further launches for kWantedSamples, if `launches` launches of `time_us` each gave `samples`. It is
// bounded, so that sampling ends for a kernel that gives no samples.
std::int64_t MoreLaunches(std::int64_t launches, std::int64_t samples, double time_us);

}  // namespace culprit
