// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/why/attribute.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include "analysis/judge/causes/sharing.h"
#include "analysis/judge/difference/roof_split.h"
#include "analysis/launch/compare.h"
#include "profiler/code/chip.h"

namespace culprit {
namespace {

// Queues make waiting grow faster than the demand. From sgemm_naive to sgemm_naive_swapped in db/recorded, sectors grow
// 6.6-fold. The waiting for them grows 14.3-fold at 4096 and 19.1-fold at 1024, which are exponents of 1.4 and 1.6.
// Growth beyond the third power of the demand has other reasons.
constexpr double kMaxExponent = 3;

// Some waiting is passed on (barrier, not_selected) or is found by samples. Causes get such waiting only if their parts
// together are at least a tenth of it.
constexpr double kBroughtAbout = 0.1;

// The assumed place of units' work within its range, in the base and in the candidate: 0 is the lowest value, 1 the
// highest.
struct UnitEnds {
  double base = 0, candidate = 0;
};

UnitNeed NeedOf(const UnitWork& unit, UnitEnds ends) {
  const auto at = [&](const Range& range, double end) {
    return (range.low + end * (range.high - range.low)) * unit.cycles;
  };
  return {at(unit.base, ends.base), at(unit.candidate, ends.candidate)};
}

using Points = std::map<std::string, double, std::less<>>;
using Parts = std::map<std::string, Range, std::less<>>;

double SumOf(const Points& parts) {
  double sum = 0;
  for (const auto& [key, us] : parts) sum += us;
  return sum;
}

Range Along(double sign, const Range& us) { return Max(us * sign, 0.0); }

// The smallest parts of all attributions, and every part that one of them leaves possible.
Attribution LeastOf(const std::vector<Attribution>& all) {
  if (all.size() == 1) return all.front();
  const auto hulls_of = [&](auto Attribution::*member) {
    std::map<std::string, Range, std::less<>> hulls;
    for (const Attribution& one : all)
      for (const auto& [id, us] : one.*member) hulls.try_emplace(id, us);
    for (auto& [id, hull] : hulls)
      for (const Attribution& one : all) {
        const auto found = (one.*member).find(id);
        hull = Hull(hull, found == (one.*member).end() ? Range(0.0) : Range(found->second));
      }
    return hulls;
  };
  Attribution result;
  result.occupancy = all.front().occupancy;
  result.could = hulls_of(&Attribution::could);
  for (const auto& [cause, us] : hulls_of(&Attribution::parts)) {
    if (us.Least() != 0) result.parts[cause] = us.Least();
    if (us.IsPoint()) continue;
    const auto [open, is_new] = result.could.try_emplace(cause, us);
    if (!is_new) open->second = Hull(open->second, us);
  }
  for (const auto& [state, us] : hulls_of(&Attribution::rest)) result.rest[state] = us.Least();
  return result;
}

double WarpsOf(const LaunchCounters& c) { return c.TotalWarpCycles() / c.active; }

Demand::Swaps SwapsOfBoth(const KernelView& base, const KernelView& candidate) {
  const bool are_known = SwapDemandOf(base) && SwapDemandOf(candidate);
  return are_known ? Demand::Swaps::kAtomics : Demand::Swaps::kLoads;
}

}  // namespace

class Attributor::Ledger {
 public:
  // `ends`: the ends of the ranges of units' work that was not measured.
  Ledger(const Attributor& a, const Decomposition& whole, UnitEnds ends)
      : a_(a), base_(a.base_), candidate_(a.candidate_), d_(whole) {
    // The counters must show the same kernel as the one with fewer warps.
    if (a.occupancy_ && a.occupancy_->candidate_has_fewer == (WarpsOf(d_.candidate) < WarpsOf(d_.base)))
      measured_ = &*a.occupancy_;
    BookUnits(ends);
  }

  Attribution Close() {
    for (const StallDifference& stall : d_.stalls) Share(stall);
    LeaveOpen();
    ShareParallelism();
    ShareRest(false);
    for (const std::string_view of_others : {std::string_view("barrier"), states::kProducts, states::kRelease})
      PassOn(std::string(of_others));
    ShareRest(true);
    PassOn("not_selected");
    PassOnWhatHides();
    ShareElapsed();
    ShareAsSampled();
    Parts parts = waiting_;
    for (const auto& [cause, us] : apart_) parts[cause] += us;
    Attribution result;
    for (const auto& [state, us] : rest_) result.rest[state] = us.Least();
    for (const auto& [cause, us] : parts) Claim(cause, us, result);
    if (measured_) result.occupancy = *measured_;
    return result;
  }

 private:
  // Gives units' work to the causes that demand it, at its price. The rest of the change is latency, by state.
  void BookUnits(UnitEnds ends) {
    const std::vector<UnitWork>& work = a_.Work();
    std::vector<UnitNeed> needs;
    for (const UnitWork& unit : work) needs.push_back(NeedOf(unit, ends));
    const RoofSplit split = SplitByRoof(d_.base, d_.candidate, needs, a_.pair_.base.machine.start_cycles,
                                        measured_ ? std::optional(measured_->Slowdown()) : std::nullopt);
    for (std::size_t u = 0; u < work.size(); ++u)
      for (const auto& [cause, moved] : work[u].movement.ByCause())
        Book(cause, moved * (split.units[u] * work[u].cycles));
    rest_["units"] = split.beyond_units_us;
    d_.stalls = split.latency;
    d_.factors = split.factors;
  }

  void Book(std::string_view cause, const Range& us) {
    if (us.low != 0 || us.high != 0) waiting_[std::string(cause)] += us;
  }
  // Books the smallest part that the cause can have, if its own evidence moved, and at most the gain from removing it.
  void Claim(const std::string& cause, const Range& us, Attribution& result) const {
    const double least = us.Least();
    const CauseBounds& bounds = a_.BoundsOf(cause);
    const bool judged = bounds.judged, went = us.low + us.high < 0;
    const Range& evidence = bounds.Evidence(went ? -1 : 1);
    const double most = went ? d_.base_us * bounds.most_base.low : d_.candidate_us * bounds.most_candidate.low;
    const double proven = judged ? least * evidence.low : 0;
    const double claimed = std::clamp(proven, -most, most);
    if (claimed != 0) result.parts[cause] = claimed;
    if ((!judged || !us.IsPoint() || !evidence.IsPoint()) && evidence.high > 0)
      result.could[cause] =
          Max(Min(us, d_.candidate_us * bounds.most_candidate.high), -d_.base_us * bounds.most_base.high);
    if (least != proven) result.rest["no_evidence"] += least - proven;
    if (proven != claimed) result.rest["beyond_limit"] += proven - claimed;
  }

  void Share(const StallDifference& stall) {
    const double us = stall.DemandUs();
    if (us == 0) return;
    const Movement& m = a_.MovementIn(stall.reason);
    const int sign = us > 0 ? 1 : -1;
    Movement::Units moved = m.Moved(sign);
    // Skip causes whose own evidence did not move.
    std::erase_if(moved, [&](const auto& entry) { return a_.BoundsOf(entry.first).Evidence(sign).high == 0; });
    Range total;
    for (const auto& [cause, units] : moved) total += units;
    for (const auto& [cause, units] : moved) {
      // More demand of others reduces the cause's part, and more demand of its own increases it.
      const double with_others = units.low + (total.high - units.high), alone = units.high + (total.low - units.low);
      Book(cause, {units.low > 0 ? us * Explained(stall, m, with_others).low * (units.low / with_others) : 0,
                   alone > 0 ? us * Explained(stall, m, alone).high * (units.high / alone) : 0});
    }
    rest_[stall.reason] +=
        Range(us - us * Explained(stall, m, total.low).low, us - us * Explained(stall, m, total.high).high);
  }

  // The unattributed waiting includes states that were not measured. Their waiting may have changed by as much as there
  // is, and causes with demand on their units may have a part in it.
  void LeaveOpen() {
    const StallDifference* open = d_.Find(kUnattributed);
    const std::set<std::string> states = a_.MissingStates(d_);
    if (open == nullptr || states.empty()) return;
    // The demand part of a state can be larger than its time, because other factors can cancel some of it.
    double most = open->base_us + open->candidate_us;
    for (const auto& [factor, us] : open->by_factor) most += std::abs(us);
    rest_[kUnattributed] = Range(-most, most);
    std::set<std::string> came, went;
    for (const std::string& state : states) {
      for (const auto& [cause, units] : a_.MovementIn(state).Moved(1)) came.insert(cause);
      for (const auto& [cause, units] : a_.MovementIn(state).Moved(-1)) went.insert(cause);
    }
    for (const std::string& cause : came) Book(cause, Range(0, most));
    for (const std::string& cause : went) Book(cause, Range(-most, 0));
  }

  // The share of a state's change that the causes can explain whose demand moved, by `moved` units together. It is 1
  // unless they moved too little: waiting grows by at most the third power of the demand, or by the time for which the
  // unit works more, because all warps can wait for that. The latter is what a phase of a kernel does.
  Range Explained(const StallDifference& stall, const Movement& m, double moved) const {
    if (!(moved > 0)) return 0.0;
    const Range& least = stall.DemandUs() > 0 ? m.from() : m.to();
    const Range growth = GrowthOf(stall, d_);
    if (!(least.high > 0) || !std::isfinite(growth.high)) return 1.0;
    const double worked = moved * UnitCycles(stall.reason) * UsPerCycle() / std::abs(stall.DemandUs());
    const auto share = [&](double of, double grew) {
      return of > 0 && grew > 0 ? std::min(1.0, std::max(worked, kMaxExponent * std::log1p(moved / of) / grew)) : 1.0;
    };
    return {share(least.high, growth.high), share(least.low, growth.low)};
  }

  // Cycles of a sub-partition in which the unit that warps in this state wait for serves one unit of the movement; 0 if
  // what they wait for is a latency.
  double UnitCycles(std::string_view state) const {
    const std::optional<Wait> wait = WaitOf(state);
    if (!wait) return 0;
    switch (*wait) {
      case Wait::kMemory:
        return kSubPartitions * kSectorBytes /
               std::min(a_.pair_.base.machine.l1_bytes, a_.pair_.candidate.machine.l1_bytes);
      case Wait::kResult:
      case Wait::kQueue:
        return kSubPartitions;
      case Wait::kIssue:
      case Wait::kPipe:
      case Wait::kWarpgroup:
        return 1;
      default:
        return 0;
    }
  }
  double UsPerCycle() const {
    const bool slower = d_.DeltaUs() > 0;
    return slower ? d_.candidate_us / d_.candidate.active : d_.base_us / d_.base.active;
  }

  // With other numbers of warps, a kernel waits in other states. If the part of warps is measured, waiting that
  // appeared in one state is netted with waiting that vanished in another.
  void OffsetWaiting() {
    double came = 0, went = 0;
    for (const auto& [reason, rest] : rest_)
      if (rest.IsPoint()) (rest.low > 0 ? came : went) += std::abs(rest.low);
    const double both = std::min(came, went);
    if (both == 0) return;
    for (auto& [reason, rest] : rest_)
      if (rest.IsPoint()) rest = rest * (1 - both / (rest.low > 0 ? came : went));
  }

  // Fewer resident warps wait less for each other. So waiting that vanished with warps is no gain, and waiting that
  // appeared with more warps is no loss.
  void ShareParallelism() {
    const double us = d_.factors.at(Factor::kParallelism);
    if (us == 0) return;
    const double sign = us < 0 ? -1 : 1, size = std::abs(us);
    if (measured_) OffsetWaiting();
    Range against;
    for (const auto& [reason, rest] : rest_) against += Along(-sign, rest);
    Range left = us;
    if (against.high > 0) {
      const auto kept = [&](double of) { return of > 0 ? std::max(0.0, 1 - size / of) : 0.0; };
      for (auto& [reason, rest] : rest_)
        if (const Range opposed = Along(-sign, rest); opposed.high > 0) {
          const Range stays = opposed * Range(kept(against.low), kept(against.high)) * -sign;
          rest = rest.Has0() ? Hull(Along(sign, rest) * sign, stays) : stays;
        }
      left = Range(std::max(0.0, size - against.high), std::max(0.0, size - against.low)) * sign;
    }
    if (measured_) return Book(measured_->cause, left);
    // The resource that limits the kernel with fewer warps, if its limit is lower and its grid reaches it. Else it ran
    // out of warps, because blocks end early or start late, or because there are too few.
    const auto cause = us > 0 ? WhatLimits(candidate_, base_) : WhatLimits(base_, candidate_);
    if (!cause) {
      const Range any = Hull(left, 0.0);
      apart_[Idle()] += any;
      for (const Cause& resource : Causes())
        if (!resource.warp_limits.empty()) Book(resource.id, any);
      rest_["parallelism"] += any;
    } else if (*cause == Idle()) {
      apart_[Idle()] += left;
    } else {
      Book(*cause, left);
    }
  }

  // Shares waiting that grew in the direction of the whole without more demand.
  //
  // That says that the code waits differently for what it asks, which machine code that both have cannot.
  void ShareRest(bool last) {
    if (a_.same_code_) return;
    // What both ask for does not change from one replicate to the next.
    const Askers& pair = a_.whole_ != nullptr ? a_.whole_->pair_ : a_.pair_;
    for (const Cause& cause : Causes())
      if (cause.takes_rest != nullptr)
        for (const RestShare& rest : cause.takes_rest(pair, d_)) {
          if (rest.last != last) continue;
          Take(rest.state, cause.id, rest.share, d_.DeltaUs() < 0 ? -1 : 1);
          if (rest.either_way) Take(rest.state, cause.id, rest.share, d_.DeltaUs() < 0 ? 1 : -1);
        }
  }

  // Gives a share of the rest of a state to a cause, if the rest has this sign.
  void Take(std::string_view reason, std::string_view cause, const Range& share, double sign) {
    const auto found = rest_.find(reason);
    if (found == rest_.end() || share.high == 0) return;
    const Range along = Along(sign, found->second);
    if (along.high == 0 || d_.DeltaUs() == 0) return;
    Book(cause, along * share * sign);
    found->second = along * Range(1 - share.low, 1 - share.high) * sign;
  }

  // Divides the rest of a state among the causes in the change, in proportion to the waiting in it that samples blame
  // on their instructions. A cause gets at most this waiting, and all together at most the unexplained part of the
  // whole.
  void ShareAsSampled() {
    if (a_.sampled_ == nullptr || d_.DeltaUs() == 0) return;
    const double sign = d_.DeltaUs() < 0 ? -1 : 1;
    // A cause's part of the change, if the operation is one of its own: the smallest part that is proven.
    const auto own_part = [&](const std::string& id, const Range& us, Operation operation) {
      const auto& scope = FindCause(id)->sampled;
      if (!scope || scope->stood_at || std::ranges::find(scope->operations, operation) == scope->operations.end())
        return Range();
      const CauseBounds& bounds = a_.BoundsOf(id);
      const Range along = Along(sign, us), evidence = bounds.Evidence(sign < 0 ? -1 : 1);
      return Range(bounds.judged ? along.low * evidence.low : 0, along.high * evidence.high);
    };
    struct Gift {
      std::string state, cause;
      Range us;  // in the direction of the change
    };
    std::vector<Gift> gifts;
    Range left, given;
    for (const auto& [state, rest] : rest_) {
      left += rest * sign;
      // These states are blamed on all instructions of the kernel, or on those before a barrier. PassOn divides them.
      if (state == "barrier" || state == "not_selected" || state == states::kProducts || state == states::kRelease)
        continue;
      const Range along = Along(sign, rest);
      const std::map<Operation, double> grew = a_.sampled_->Grew(state, sign);
      double all = 0;
      for (const auto& [operation, us] : grew) all += us;
      for (const auto& [operation, us] : grew) {
        Range total;
        for (const auto& [cause, part] : waiting_) total += own_part(cause, part, operation);
        const Range found = Min(along * (us / all), us);
        if (total.high < found.low * kBroughtAbout) continue;
        for (const auto& [cause, part] : waiting_) {
          const Range own = own_part(cause, part, operation);
          if (own.high == 0) continue;
          const Range share(own.low > 0 ? own.low / (own.low + total.high - own.high) : 0.0,
                            own.high / (own.high + total.low - own.low));
          gifts.push_back({state, cause, found * share});
          given += gifts.back().us;
        }
      }
    }
    if (given.high == 0) return;
    left = Max(left, 0.0);
    const Range part(given.high > 0 ? std::min(1.0, left.low / given.high) : 0.0,
                     given.low > 0   ? std::min(1.0, left.high / given.low)
                     : left.high > 0 ? 1.0
                                     : 0.0);
    for (const Gift& gift : gifts) {
      const Range us = gift.us * part * sign;
      Book(gift.cause, us);
      rest_[gift.state] = rest_[gift.state] - us;
    }
  }

  // Between the kernels of one launch, no SM has work. If the number of kernels changed, and SMs are idle for long, the
  // change of idle time belongs to launching.
  void ShareElapsed() {
    const Measured kernels_from = base_.Get("launch_kernels"), kernels_to = candidate_.Get("launch_kernels");
    const double idle = d_.factors.at(Factor::kImbalance), beyond = d_.factors.at(Factor::kLaunch);
    const bool known = kernels_from && kernels_to, as_many = known && *kernels_from == *kernels_to;
    const auto are_few = [](const LaunchCounters& c) { return 1 - c.active / c.elapsed < kMinIdleShare; };
    const bool of_tail = as_many || (are_few(d_.base) && are_few(d_.candidate));
    const std::string launch(CauseOf(Factor::kLaunch).id), clock(CauseOf(Factor::kClock).id);
    if (known) {
      apart_[of_tail ? Idle() : launch] += idle;
    } else {
      apart_[Idle()] += Hull(idle, 0.0);
      apart_[launch] += Hull(idle, 0.0) + Hull(beyond, 0.0);
      rest_[Idle()] = idle;
    }
    if (base_.Get("clock_mhz") && candidate_.Get("clock_mhz"))
      apart_[clock] += d_.factors.at(Factor::kClock);
    else
      rest_[clock] = d_.factors.at(Factor::kClock);
    // With equal numbers of kernels, this is the disagreement between counted and timed cycles.
    if (known && !as_many)
      apart_[launch] += beyond;
    else
      rest_[launch] = beyond;
  }

  static std::string Idle() { return std::string(CauseOf(Factor::kImbalance).id); }

  // A warp at a barrier waits for a warp that waits for something else. A warp that is not selected waits for a warp
  // that works. So this waiting goes to the causes of the other waiting and work, in proportion to their parts.
  void PassOn(const std::string& reason) { rest_[reason] = PassOn(rest_[reason]); }

  // If waiting vanished without less demand while the whole became slower, it is hidden behind the waiting that there
  // is now.
  void PassOnWhatHides() {
    if (d_.DeltaUs() == 0) return;
    const double sign = d_.DeltaUs() < 0 ? -1 : 1;
    Range hidden;
    for (auto& [reason, rest] : rest_) {
      hidden += Along(-sign, rest);
      rest = Along(sign, rest) * sign;
    }
    rest_["hidden"] = PassOn(hidden * -sign);
  }

  // Returns the part that no cause takes.
  Range PassOn(const Range& us) {
    if ((us.low == 0 && us.high == 0) || d_.DeltaUs() == 0) return us;
    if (us.low < 0 && us.high > 0) {
      // The part may have either sign, or any value in between.
      const Parts before = waiting_;
      const Range more = PassOn(Range(0, us.high));
      const Parts with_more = std::exchange(waiting_, before);
      const Range less = PassOn(Range(us.low, 0));
      for (auto& [cause, part] : waiting_) part = Hull(part, with_more.at(cause));
      return Hull(more, less);
    }
    const double sign = d_.DeltaUs() < 0 ? -1 : 1;
    const bool adds = sign * (us.low + us.high) > 0;
    const Range size = Max(us, us * -1.0);  // the absolute value, because it has one sign
    Range total;
    for (const auto& [cause, part] : waiting_) total += Along(sign, part);
    if (total.high < size.low * kBroughtAbout) return us;
    const bool certain = total.low >= size.high * kBroughtAbout;
    const Range passed(certain ? std::min(size.low, adds ? size.low : total.low) : 0.0,
                       adds ? size.high : std::min(size.high, total.high));
    for (auto& [cause, part] : waiting_) {
      const Range own = Along(sign, part), others(total.low - own.low, total.high - own.high);
      if (own.high == 0) continue;
      const auto changed = [&](double of, double rest, double by) {
        if (!(of > 0)) return 0.0;
        return adds ? of + by * of / (of + rest) : of * std::max(0.0, 1 - by / (of + rest));
      };
      const Range along = part * sign;
      const double least = adds ? changed(own.low, others.high, passed.low) : changed(own.low, others.low, passed.high);
      const double most =
          adds ? changed(own.high, others.low, passed.high) : changed(own.high, others.high, passed.low);
      part = Range(along.low < 0 ? along.low : least, most) * sign;
    }
    const double sign_of_us = us.low + us.high < 0 ? -1 : 1;
    if (us.IsPoint() && total.IsPoint()) return us - passed * sign_of_us;
    if (adds) return certain ? Range(0.0) : us * Range(0.0, 1.0);
    return Range(certain ? std::max(0.0, size.low - total.high) : 0.0,
                 certain ? std::max(0.0, size.high - total.low) : size.high) *
           sign_of_us;
  }

  const Attributor& a_;
  const KernelView &base_, &candidate_;
  Decomposition d_;  // of the latency part
  Parts waiting_;    // time in which warps wait or work
  Parts apart_;      // time without warps; no waiting is passed on to it
  Parts rest_;       // by stall reason: the parts that no cause explains yet
  const MeasuredOccupancy* measured_ = nullptr;
};

Attributor::Attributor(const KernelView& base, const KernelView& candidate, const SampledPair* sampled,
                       const Attributor* whole)
    : base_(base),
      candidate_(candidate),
      base_repeats_(base),
      candidate_repeats_(candidate),
      sampled_(sampled),
      whole_(whole),
      from_(base, Demand::Splits::kOpen, SwapsOfBoth(base, candidate)),
      to_(candidate, Demand::Splits::kOpen, SwapsOfBoth(base, candidate)),
      pair_(base, from_, candidate, to_),
      occupancy_(MeasureOccupancy(base, candidate)),
      same_code_(IsSameCode(base.record(), candidate.record())) {
  if (sampled_ != nullptr) pair_.TellArrays(sampled_->base_arrays, sampled_->candidate_arrays);
}

const std::vector<UnitWork>& Attributor::Work() const {
  if (work_.empty()) work_ = WorkOf(pair_);
  return work_;
}

double Attribution::UnexplainedUs() const { return SumOf(rest); }

std::vector<std::string> Attributor::MissingFor(const Cause& cause) const {
  std::vector<std::string> missing;
  const auto known = [&](std::string_view id) {
    return pair_.KnowArrays() && cause.sampled &&
           std::ranges::find(cause.sampled->instead, id) != cause.sampled->instead.end();
  };
  for (const std::string_view id : cause.needs)
    // A ratio over no accesses counts as measured, because it shows that there are none.
    for (const KernelView* view : {&base_, &candidate_})
      if (const Measured value = view->Get(id); !known(id) && !value && value.absence() != Absence::kUndefined) {
        missing.emplace_back(id);
        break;
      }
  return missing;
}

const Attributor::CauseBounds& Attributor::BoundsOf(const std::string& id) const {
  const auto [known, is_new] = bounds_.try_emplace(id);
  CauseBounds& bounds = known->second;
  if (!is_new) return bounds;
  const Cause* known_cause = FindCause(id);
  if (known_cause == nullptr) throw std::logic_error("a room takes for '" + id + "', which is no cause");
  const Cause& cause = *known_cause;
  bounds.judged = MissingFor(cause).empty();
  const auto moved = [&](int sign) {
    return whole_ != nullptr ? whole_->BoundsOf(id).Evidence(sign)
                             : EvidenceMoved(cause, base_, base_repeats_, candidate_, candidate_repeats_, sign);
  };
  bounds.came = moved(1);
  bounds.went = moved(-1);
  bounds.most_candidate = MostShare(cause, candidate_, to_);
  bounds.most_base = MostShare(cause, base_, from_);
  return bounds;
}

std::set<std::string> Attributor::MissingStates(const Decomposition& d) const {
  std::set<std::string> missing = d.one_sided;
  for (const WarpState& state : WarpStates())
    for (const KernelView* kernel : {&base_, &candidate_}) {
      if (!state.on_every_chip) continue;
      const Measured cycles = kernel->Get("stall_" + std::string(state.name));
      if (!cycles && cycles.absence() != Absence::kUnsupported) missing.emplace(state.name);
    }
  return missing;
}

std::vector<std::string> Attributor::Missing() const {
  std::set<std::string> missing = from_.missing;
  missing.insert(to_.missing.begin(), to_.missing.end());
  return {missing.begin(), missing.end()};
}

std::vector<std::string> Attributor::MayLeaveOpen(const Decomposition& decomposition,
                                                  const Attribution& attribution) const {
  const std::vector<std::string> missing = Missing();
  std::set<std::string> ids(missing.begin(), missing.end());
  for (const std::string& state : MissingStates(decomposition)) ids.insert("stall_" + state);
  for (const Asker* asker : {&pair_.base, &pair_.candidate})
    if (!asker->excess_at_l1.IsPoint()) ids.emplace("l1_throughput_pct");
  for (const auto& [id, us] : attribution.could)
    for (const auto* evidence : {&FindCause(id)->rises, &FindCause(id)->falls})
      ids.insert(evidence->begin(), evidence->end());
  return {ids.begin(), ids.end()};
}

const Movement& Attributor::MovementIn(std::string_view stall) const {
  const std::optional<Wait> wait = WaitOf(stall);
  const auto found = movements_.find(wait);
  if (found != movements_.end()) return found->second;
  return movements_.emplace(wait, wait ? MovementOf(*wait, pair_) : Movement()).first->second;
}

// Units' work that was not measured can have either end of its range. A cause gets its smallest part over all ends.
//
// The reason for ranges: in 372 recorded pairs one cause leads. If any one metric is removed from both kernels, it
// still leads in 89 % of the tries. It would lead in only 64 % if a missing metric made every cause that needs it "not
// judged". With a core profile, the leading cause is kept in 112 pairs with ranges, and in none without.
Attribution Attributor::Attribute(const Decomposition& decomposition) const {
  const auto ends = [&](Range UnitWork::*side) -> std::vector<double> {
    if (std::ranges::all_of(Work(), [&](const UnitWork& unit) { return (unit.*side).IsPoint(); })) return {0};
    return {0, 0.5, 1};
  };
  const bool alike = pair_.ShareCostAtL1() && std::ranges::all_of(Work(), [](const UnitWork& unit) {
                       return unit.unit == kDataPipe || (unit.base.IsPoint() && unit.candidate.IsPoint());
                     });
  std::vector<Attribution> all;
  for (const double base : ends(&UnitWork::base))
    for (const double candidate : ends(&UnitWork::candidate))
      if (!alike || base == candidate) all.push_back(Ledger(*this, decomposition, {base, candidate}).Close());
  Attribution result = LeastOf(all);
  // The parts that ranges leave open belong to no cause.
  const double left_us = decomposition.DeltaUs() - SumOf(result.parts) - SumOf(result.rest);
  result.rest[kNotMeasured] = left_us;
  return result;
}

}  // namespace culprit
