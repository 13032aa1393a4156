// SPDX-License-Identifier: Apache-2.0
#include "analysis/causes/movement.h"

#include <algorithm>

#include "analysis/causes/cause.h"

namespace culprit {
namespace {

// Less than a hundredth of a unit's demand is no reason for anything: repeated counts of one kernel differ by 0.6 %
// (docs/cupti.md).
constexpr double kMinMove = 0.01;

Range Flip(const Range& r) { return {-r.high, -r.low}; }

}  // namespace

void Movement::Add(std::string_view cause, const Range& from, const Range& to) {
  from_ += from;
  to_ += to;
  by_cause_[std::string(cause)] += to - from;
}

void Movement::Pass(std::string_view one, std::string_view other, const Range& units) {
  Range& loser = by_cause_[std::string(one)];
  loser = loser - units;
  by_cause_[std::string(other)] += units;
}

void Movement::Reassign(std::string_view cause, const Range& units) {
  if (units.low < 0 && units.high > 0) {
    // It may be either way: what each of them does, and anything in between.
    Movement more = *this, less = *this;
    more.Reassign(cause, {0, units.high});
    less.Reassign(cause, {units.low, 0});
    for (auto& [other, moved] : by_cause_) moved = Hull(moved, Hull(more.by_cause_[other], less.by_cause_[other]));
    by_cause_[std::string(cause)] = Hull(more.by_cause_[std::string(cause)], less.by_cause_[std::string(cause)]);
    return;
  }
  const bool falls = units.high <= 0 && units.low < 0;
  const Range wanted = falls ? Flip(units) : units;
  Range movable;
  for (const auto& [other, moved] : by_cause_)
    if (other != cause) movable += Max(falls ? Flip(moved) : moved, 0.0);
  if (movable.high == 0) return;
  const Range part(std::min(1.0, wanted.low / movable.high), movable.low > 0 ? std::min(1.0, wanted.high / movable.low)
                                                             : wanted.high > 0 ? 1.0
                                                                               : 0.0);
  Range taken;
  for (auto& [other, moved] : by_cause_) {
    const Range along = Max(falls ? Flip(moved) : moved, 0.0);
    if (other == cause || along.high == 0) continue;
    const Range goes = along * part, stays = along * Range(1 - part.low, 1 - part.high);
    taken += goes;
    // What works the other way stays what it is.
    const Range against = Min(falls ? Flip(moved) : moved, 0.0);
    const Range left = {along.low > 0 ? stays.low : against.low < 0 ? against.low : stays.low, stays.high};
    moved = falls ? Flip(left) : left;
  }
  by_cause_[std::string(cause)] += falls ? Flip(taken) : taken;
}

Movement::Units Movement::Moved(int sign) const {
  Units units;
  const Range noise = Max(from_, to_) * kMinMove;
  for (const auto& [cause, both_ways] : by_cause_) {
    const Range along = sign < 0 ? Flip(both_ways) : both_ways;
    if (along.high > noise.low) units[cause] = {along.low > noise.high ? along.low : 0, along.high};
  }
  return units;
}

Movement MovementOf(Wait wait, const Askers& pair) {
  Movement m;
  for (const Cause& cause : Causes())
    if (cause.asks != nullptr) m.Add(cause.id, cause.asks(wait, pair.base), cause.asks(wait, pair.candidate));
  for (const Cause& cause : Causes())
    if (cause.takes != nullptr) cause.takes(wait, pair, m);
  return m;
}

}  // namespace culprit
