// SPDX-License-Identifier: Apache-2.0
// How often one may look at two growing sets of values and still be wrong no more often than promised.
//
// A rank test looked at K times with the level of one look is wrong up to K times as often. Here the promised rate is
// spent over the looks, by a rule that was fixed before the first: after the share t of the most values that there may
// be, a(t) = a ln(1 + (e - 1) t) has been spent (Lan and DeMets, "Discrete sequential boundaries for clinical trials",
// Biometrika 70, 1983, the function that follows Pocock's). A look may use what is spent by then and was not yet used;
// by Boole's inequality the whole is wrong in no more than a, whatever the looks have in common. What a look cannot
// use, because ranks of few values have few levels, stays for the next. The test of each look is exact for any scatter
// under which the values of both sides could be exchanged: that of Mann and Whitney (shift.h).
#pragma once
#include <optional>
#include <span>

#include "analysis/verdict/shift.h"

namespace culprit {

class LookSpending {
 public:
  // `rate`: of false alarms over all looks, 0.005. `most`: values a side at the last look.
  LookSpending(double rate, int most) : rate_(rate), most_(most) {}

  // A look at what there is now; `last`: none follows, and all that is left may be used. None where the values are too
  // few for what may be used. The interval holds the truth but for the level that it used.
  std::optional<Shift> Look(std::span<const double> base, std::span<const double> candidate, bool last);

  double used() const { return used_; }

 private:
  double rate_;
  int most_;
  double used_ = 0;
};

// The next look after one at `values` a side: half as many more, `most` at most. Few looks use little.
int NextLook(int values, int most);

// Values a side from which on the last look can say anything.
int LeastForLooks(double rate);

}  // namespace culprit
