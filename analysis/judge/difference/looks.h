// SPDX-License-Identifier: Apache-2.0
// How often one may look at two growing sets of values and still be wrong no more often than promised.
//
// A rank test that is repeated K times at the level of one test is wrong up to K times as often. So the promised rate
// a is spent over the looks, by a rule that is fixed before the first look. With the share t of the largest possible
// number of values, a(t) = a ln(1 + (e - 1) t) may be spent (Lan and DeMets, "Discrete sequential boundaries for
// clinical trials", Biometrika 70, 1983, their function for Pocock's boundary). A look may use a(t) minus the rate that
// earlier looks used. By Boole's inequality the total rate is at most a, however the looks depend on each other. Ranks
// of few values have few levels, so a look may not use all of its rate; the next look gets the rest. Each look is a
// Mann-Whitney test (shift.h). It is exact for any scatter under which the values of both sides could be exchanged.
#pragma once
#include <optional>
#include <span>

#include "analysis/judge/difference/shift.h"

namespace culprit {

class LookSpending {
 public:
  // `rate`: of false alarms over all looks, 0.005. `most`: the values per side at the last look.
  LookSpending(double rate, int most) : rate_(rate), most_(most) {}

  // Looks at the present values. `last`: no look follows, so this one may use the whole rest of the rate. None if the
  // values are too few for the rate that it may use. The interval misses the truth with the probability that it used.
  std::optional<Shift> Look(std::span<const double> base, std::span<const double> candidate, bool last);

  double used() const { return used_; }

 private:
  double rate_;
  int most_;
  double used_ = 0;
};

// The number of values per side at the next look: 1.5 times `values`, at most `most`. This keeps the looks few.
int NextLook(int values, int most);

// The smallest number of values per side with which the last look can find a difference.
int LeastForLooks(double rate);

}  // namespace culprit
