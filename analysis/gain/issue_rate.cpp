// SPDX-License-Identifier: Apache-2.0
#include "analysis/gain/issue_rate.h"

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

}  // namespace culprit
