// SPDX-License-Identifier: Apache-2.0
// Which times a database has as samples. Whoever makes samples of another's times leaves out the rest.
#pragma once

namespace culprit {

// us: the resolution that is stored; nearly three hours.
inline constexpr double kLeastSampleUs = 1e-3, kMostSampleUs = 1e10;

}  // namespace culprit
