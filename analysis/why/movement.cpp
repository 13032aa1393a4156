// SPDX-License-Identifier: Apache-2.0
#include "analysis/why/movement.h"

#include <algorithm>
#include <cmath>

#include "analysis/why/decompose.h"

namespace culprit {
namespace {

// Less than a hundredth of a unit's demand is no reason for anything: repeated counts of one kernel differ by 0.6 %
// (docs/cupti.md).
constexpr double kMinMove = 0.01;

}  // namespace

void Movement::Add(std::string_view cause, double from, double to) {
  from_ += from;
  to_ += to;
  by_cause_[std::string(cause)] += to - from;
}

void Movement::AddProduct(std::string_view amount_cause, double amount_from, double amount_to,
                          std::string_view rate_cause, double rate_from, double rate_to) {
  const double from = amount_from * rate_from, to = amount_to * rate_to;
  if (!(from > 0) || !(to > 0)) return Add(amount_from > 0 && amount_to > 0 ? rate_cause : amount_cause, from, to);
  from_ += from;
  to_ += to;
  const double by_rate = LogarithmicMean(to, from) * std::log(rate_to / rate_from);
  by_cause_[std::string(rate_cause)] += by_rate;
  by_cause_[std::string(amount_cause)] += to - from - by_rate;
}

void Movement::Shift(std::string_view one, std::string_view other, double units) {
  by_cause_[std::string(one)] -= units;
  by_cause_[std::string(other)] += units;
}

void Movement::Reassign(std::string_view cause, double units) {
  const double sign = units < 0 ? -1 : 1;
  double movable = 0;
  for (const auto& [other, moved] : by_cause_)
    if (other != cause) movable += std::max(0.0, sign * moved);
  if (movable == 0) return;
  const double part = std::min(1.0, std::abs(units) / movable);
  double taken = 0;
  for (auto& [other, moved] : by_cause_) {
    if (other == cause || sign * moved <= 0) continue;
    taken += part * moved;
    moved -= part * moved;
  }
  by_cause_[std::string(cause)] += taken;
}

std::map<std::string, double, std::less<>> Movement::Moved(int sign) const {
  std::map<std::string, double, std::less<>> moved;
  for (const auto& [cause, units] : by_cause_)
    if (sign * units > kMinMove * std::max(from_, to_)) moved[cause] = sign * units;
  return moved;
}

}  // namespace culprit
