// SPDX-License-Identifier: Apache-2.0
// The times that a database accepts. Code that imports foreign times skips the rest.
#pragma once

namespace culprit {

// In microseconds: 1 ns, and nearly three hours.
inline constexpr double kLeastSampleUs = 1e-3, kMostSampleUs = 1e10;
// Times of a timeline, in nanoseconds: 115 days.
inline constexpr double kMostTimelineNs = 1e16;

}  // namespace culprit
