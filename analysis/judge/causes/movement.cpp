// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/causes/movement.h"

#include <algorithm>
#include <utility>

#include "analysis/judge/causes/cause.h"
#include "profiler/code/chip.h"

namespace culprit {
namespace {

Range Flip(const Range& r) { return {-r.high, -r.low}; }

// Of memory one level alone, in cycles of its own, and no latency.
struct Level {
  double l1 = 0, l2 = 0, dram = 0, host = 0, slice = 0;
};
Askers At(Level level, Askers pair) {
  for (Asker* a : {&pair.base, &pair.candidate}) {
    a->of_unit = true;
    a->local_request = a->global_request = 0.0;
    a->at_l1 *= level.l1;
    a->at_l2 *= level.l2;
    a->at_dram *= level.dram;
    a->at_host *= level.host;
    a->at_slice *= level.slice;
  }
  return pair;
}

constexpr std::pair<Pipe, std::string_view> kPipes[] = {
    {Pipe::kFma, "FMA pipe"},   {Pipe::kAlu, "ALU pipe"}, {Pipe::kFp16, "half-precision pipe"},
    {Pipe::kFp64, "FP64 pipe"}, {Pipe::kXu, "XU pipe"},   {Pipe::kTensor, "tensor pipe"}};

// Each instruction of a pipe is some cause's, so what they ask for is all of it.
UnitWork WorkOfPipe(Pipe pipe, std::string_view unit, Askers pair) {
  pair.base.pipe = pair.candidate.pipe = pipe;
  Movement m = MovementOf(Wait::kPipe, pair);
  const Range base = m.from(), candidate = m.to();
  return {unit, std::move(m), 1, base, candidate};
}

// All that a unit works for a kernel.
using Total = Range (*)(const Asker&);
UnitWork Work(std::string_view unit, Wait wait, const Askers& pair, double cycles, Total total) {
  return {unit, MovementOf(wait, pair), cycles, total(pair.base), total(pair.candidate)};
}

}  // namespace

void Movement::Add(std::string_view cause, const Range& from, const Range& to, bool alike) {
  from_ += from;
  to_ += to;
  by_cause_[std::string(cause)] += alike ? Hull(to.low - from.low, to.high - from.high) : to - from;
}

void Movement::Pass(std::string_view one, std::string_view other, const Range& units) {
  Range& loser = by_cause_[std::string(one)];
  loser = loser - units;
  by_cause_[std::string(other)] += units;
}

void Movement::Reassign(std::string_view cause, const Range& units) {
  if (units.low < 0 && units.high > 0) {
    // The units may have either sign. The result contains both outcomes and all in between.
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
    // Changes in the other direction stay as they are.
    const Range against = Min(falls ? Flip(moved) : moved, 0.0);
    const Range left = {along.low > 0 ? stays.low : against.low < 0 ? against.low : stays.low, stays.high};
    moved = falls ? Flip(left) : left;
  }
  by_cause_[std::string(cause)] += falls ? Flip(taken) : taken;
}

Movement::Units Movement::Moved(int sign) const {
  Units units;
  const Range noise = Max(from_, to_) * kCountsRepeatWithin;
  for (const auto& [cause, both_ways] : by_cause_) {
    const Range along = sign < 0 ? Flip(both_ways) : both_ways;
    if (along.high > noise.low) units[cause] = {along.low > noise.high ? along.low : 0, along.high};
  }
  return units;
}

Movement MovementOf(Wait wait, const Askers& pair) {
  Movement m;
  for (const Cause& cause : Causes())
    if (cause.asks != nullptr)
      m.Add(cause.id, cause.asks(wait, pair.base), cause.asks(wait, pair.candidate),
            cause.shares_cost && pair.ShareCostAtL1());
  for (const Cause& cause : Causes())
    if (cause.takes != nullptr) cause.takes(wait, pair, m);
  return m;
}

std::vector<UnitWork> WorkOf(const Askers& pair) {
  std::vector<UnitWork> work;
  work.push_back(Work("issue slots", Wait::kIssue, pair, 1, [](const Asker& a) { return a.demand.issued; }));
  for (const auto& [pipe, unit] : kPipes) work.push_back(WorkOfPipe(pipe, unit, pair));
  work.push_back(Work(kDataPipe, Wait::kResult, At({.l1 = 1}, pair), kSubPartitions, [](const Asker& a) {
    return Max(a.demand.shared_all, a.demand.shared) + a.demand.shared_atomic +
           (a.demand.sectors_l1 + (a.excess_at_l1 - 1.0) * a.demand.excess_l1) * a.HeldUp();
  }));
  // Atomics work L2 too.
  work.push_back(Work("L2", Wait::kMemory, At({.l2 = 1}, pair), 1, [](const Asker& a) {
    return a.at_l2 * (a.demand.sectors_l2 + a.demand.atomic_sectors + a.demand.atomic_l2_cycles);
  }));
  work.push_back(Work("device memory", Wait::kMemory, At({.dram = 1}, pair), 1,
                      [](const Asker& a) { return a.at_dram * a.demand.sectors_dram; }));
  work.push_back(
      Work("link to the host", Wait::kMemory, At({.host = 1}, pair), 1, [](const Asker& a) { return a.OfHost(); }));
  // What it does beyond its share of L2's work.
  work.push_back(Work("busiest slice of L2", Wait::kMemory, At({.slice = 1}, pair), 1,
                      [](const Asker& a) { return a.OfSlice(); }));
  return work;
}

}  // namespace culprit
