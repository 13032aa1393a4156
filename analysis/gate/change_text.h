// SPDX-License-Identifier: Apache-2.0
// A change of a time and its interval, in percent.
#pragma once
#include <fmt/core.h>

#include <optional>
#include <string>

#include "analysis/judge/difference/shift.h"
#include "analysis/number/format.h"

namespace culprit {

// The change or a bound of its interval; not there without a shift.
inline Measured PercentOf(const std::optional<Shift>& shift, double Shift::*side) {
  return shift ? Measured(100 * (*shift).*side) : Measured();
}

// "+5.1 %"
inline std::string ChangeText(double share) { return Format(100 * share, Unit::kChangePercent); }

// "+4.0 % .. +6.2 %"
inline std::string IntervalText(const Shift& shift) {
  return fmt::format("{} .. {}", ChangeText(shift.low), ChangeText(shift.high));
}

// "+5.1 % (+4.0 % .. +6.2 %)"
inline std::string ChangeText(const Shift& shift) {
  return fmt::format("{} ({})", ChangeText(shift.change), IntervalText(shift));
}

}  // namespace culprit
