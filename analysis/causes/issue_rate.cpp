// SPDX-License-Identifier: Apache-2.0
#include "analysis/causes/issue_rate.h"

#include <algorithm>

namespace culprit {

double IssueRate(double warps, double waiting) {
  double rate = 0, one_less = 0, queued = 0, k = 0;
  while (k < warps) {
    k += 1;
    // An arriving warp finds as many queued as there are on average with one warp less.
    const double at_the_slot = 1 + queued;
    one_less = rate;
    rate = k / (waiting + at_the_slot);
    queued = rate * at_the_slot;
  }
  return one_less + (rate - one_less) * (warps - (k - 1));
}

double WaitingAt(double warps, double rate) {
  // Queueing only adds to warps / rate cycles from one instruction of a warp to its next.
  double low = 0, high = std::max(0.0, warps / rate - 1);
  constexpr int kHalvings = 60;  // more than a double can tell apart
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (IssueRate(warps, middle) > rate ? low : high) = middle;
  }
  return high;
}

}  // namespace culprit
