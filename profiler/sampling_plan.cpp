// SPDX-License-Identifier: Apache-2.0
#include "profiler/sampling_plan.h"

#include <algorithm>
#include <cmath>

namespace culprit {
namespace {

// Per launch: more are useless, and reading them takes CUPTI about 50 ms.
constexpr double kMostSamples = 64.0 * kWantedSamples;
// A kernel of one short block gives a sample per 128 cycles: a thousand launches of 10 us give 155,000.
constexpr std::int64_t kMostLaunches = 1000;
constexpr double kMostTimeUs = 200'000;

}  // namespace

double ExpectedSamples(const KernelSpan& kernel, int period) {
  return kernel.time_us * kernel.clock_mhz * kernel.busy_sms / std::ldexp(1, period);
}

int PeriodFor(const KernelSpan& kernel) {
  if (ExpectedSamples(kernel, kUsualPeriod) > kMostSamples) return kSparsePeriod;
  const double launches =
      kernel.time_us > 0 ? std::clamp(kMostTimeUs / kernel.time_us, 1.0, static_cast<double>(kMostLaunches)) : 1;
  for (const int period : {kUsualPeriod, kDensePeriod})
    if (launches * ExpectedSamples(kernel, period) >= static_cast<double>(kWantedSamples)) return period;
  return kDensestPeriod;
}

std::int64_t MoreLaunches(std::int64_t launches, std::int64_t samples, double time_us) {
  if (samples >= kWantedSamples) return 0;
  const double wanted = samples > 0 ? std::ceil(static_cast<double>(kWantedSamples - samples) *
                                                static_cast<double>(launches) / static_cast<double>(samples))
                                    : static_cast<double>(kMostLaunches);
  const double in_time = time_us > 0 ? kMostTimeUs / time_us : static_cast<double>(kMostLaunches);
  const double most = std::min(static_cast<double>(kMostLaunches), in_time) - static_cast<double>(launches);
  return static_cast<std::int64_t>(std::max(0.0, std::min(wanted, most)));
}

}  // namespace culprit
