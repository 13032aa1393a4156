// SPDX-License-Identifier: Apache-2.0
#include "analysis/show/report/strip.h"

#include <algorithm>
#include <cmath>

namespace culprit {

char StripDigit(const std::optional<double>& value, double peak) {
  constexpr int kTenths = 10;
  if (!value || !(peak > 0)) return '?';
  const int tenths = static_cast<int>(std::lround(std::clamp(kTenths * *value / peak, 0.0, 1.0 * kTenths)));
  if (tenths == 0) return '.';
  return tenths == kTenths ? '#' : static_cast<char>('0' + tenths);
}

}  // namespace culprit
