// SPDX-License-Identifier: Apache-2.0
#include "analysis/why/attribute.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include "analysis/causes/sharing.h"
#include "analysis/split/roof_split.h"
#include "analysis/why/limits.h"

namespace culprit {
namespace {

// Queues make waiting grow faster than what is waited for. On the recorded H100 run sectors grow 6.6-fold from
// sgemm_naive to sgemm_naive_swapped and the waiting for them 14.6-fold: an exponent of 1.4. Growth beyond the third
// power of the demand's is not the demand's doing.
constexpr double kMaxExponent = 3;

// Causes of less than a tenth of what waits for others' waiting, or is found at their instructions, did not bring it
// about.
constexpr double kBroughtAbout = 0.1;

// Where in what is known of units' work it is, in the base and in the candidate: 0, its least, to 1, its most.
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

// Those of the catalogue, but for what not every chip has.
constexpr std::string_view kStates[] = {"selected",
                                        "not_selected",
                                        "long_scoreboard",
                                        "short_scoreboard",
                                        "mio_throttle",
                                        "lg_throttle",
                                        "tex_throttle",
                                        "barrier",
                                        "membar",
                                        "wait",
                                        "math_pipe_throttle",
                                        "dispatch_stall",
                                        "branch_resolving",
                                        "no_instruction",
                                        "imc_miss",
                                        "drain",
                                        "sleeping",
                                        "misc"};

// What all of them agree on; what any of them leaves possible.
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

double WarpsOf(const LaunchCounters& c) {
  double cycles = 0;
  for (const auto& [state, of] : c.warp_cycles) cycles += of;
  return cycles / c.active;
}

}  // namespace

class Attributor::Ledger {
 public:
  // `ends`: of what was not measured of units' work.
  Ledger(const Attributor& a, const Decomposition& whole, UnitEnds ends)
      : a_(a), base_(a.base_), candidate_(a.candidate_), d_(whole) {
    // The counters must see it the same way round.
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
  // Units' work to those who asked for it, at its price. What is left of the change is latency's, by state.
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
  // The least that the cause can have done, if evidence of its own moved, and no more than taking it away could give.
  void Claim(const std::string& cause, const Range& us, Attribution& result) const {
    const double least = us.Least();
    const bool judged = a_.IsJudged(cause);
    const int sign = us.low + us.high < 0 ? -1 : 1;
    const Range evidence = a_.EvidenceOf(cause, sign);
    const double most = (sign < 0 ? d_.base_us : d_.candidate_us) * a_.MostOf(cause, sign).low;
    const double proven = judged ? least * evidence.low : 0;
    const double claimed = std::clamp(proven, -most, most);
    if (claimed != 0) result.parts[cause] = claimed;
    if ((!judged || !us.IsPoint() || !evidence.IsPoint()) && evidence.high > 0)
      result.could[cause] =
          Max(Min(us, d_.candidate_us * a_.MostOf(cause, 1).high), -d_.base_us * a_.MostOf(cause, -1).high);
    if (least != proven) result.rest["no_evidence"] += least - proven;
    if (proven != claimed) result.rest["beyond_limit"] += proven - claimed;
  }

  void Share(const StallDifference& stall) {
    const double us = stall.DemandUs();
    if (us == 0) return;
    const Movement& m = a_.MovementIn(stall.reason);
    const int sign = us > 0 ? 1 : -1;
    Movement::Units moved = m.Moved(sign);
    // What counts of its own do not show to have moved took no waiting with it.
    std::erase_if(moved, [&](const auto& entry) { return a_.EvidenceOf(entry.first, sign).high == 0; });
    Range total;
    for (const auto& [cause, units] : moved) total += units;
    for (const auto& [cause, units] : moved) {
      // What the others ask for takes from the cause's part, what it asks for itself adds to it.
      const double with_others = units.low + (total.high - units.high), alone = units.high + (total.low - units.low);
      Book(cause, {units.low > 0 ? us * Explained(stall, m, with_others).low * (units.low / with_others) : 0,
                   alone > 0 ? us * Explained(stall, m, alone).high * (units.high / alone) : 0});
    }
    rest_[stall.reason] +=
        Range(us - us * Explained(stall, m, total.low).low, us - us * Explained(stall, m, total.high).high);
  }

  // States that were not measured are among the unattributed: there they may have come and gone as far as there is of
  // it, and what moved in them may have taken part in that.
  void LeaveOpen() {
    const StallDifference* open = d_.Find(kUnattributed);
    const std::set<std::string> states = a_.MissingStates(d_);
    if (open == nullptr || states.empty()) return;
    // The demand on a state can be larger than its time, by what other factors take back.
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

  // Which share of a state's change the causes that moved, by `moved` units together, can have caused: all of it,
  // unless they moved too little.
  Range Explained(const StallDifference& stall, const Movement& m, double moved) const {
    if (!(moved > 0)) return 0.0;
    const Range& least = stall.DemandUs() > 0 ? m.from() : m.to();
    const Range growth = GrowthOf(stall, d_);
    if (!(least.high > 0) || !std::isfinite(growth.high)) return 1.0;
    const auto share = [&](double of, double grew) {
      return of > 0 && grew > 0 ? std::min(1.0, kMaxExponent * std::log1p(moved / of) / grew) : 1.0;
    };
    return {share(least.high, growth.high), share(least.low, growth.low)};
  }

  // Which of its states a kernel waits in changes with its warps: where their part is measured, what waiting came in
  // one state makes up for what vanished in another.
  void OffsetWaiting() {
    double came = 0, went = 0;
    for (const auto& [reason, rest] : rest_)
      if (rest.IsPoint()) (rest.low > 0 ? came : went) += std::abs(rest.low);
    const double both = std::min(came, went);
    if (both == 0) return;
    for (auto& [reason, rest] : rest_)
      if (rest.IsPoint()) rest = rest * (1 - both / (rest.low > 0 ? came : went));
  }

  // Fewer resident warps wait less for each other: what waiting vanished with the warps that did is no gain, and what
  // came with more of them no loss.
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
    // What limits the one with fewer warps, if its limit is lower and its grid reaches it; else its warps ran out:
    // blocks that end early or start late, or too few of them.
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

  // Waiting for memory that grew, as the whole did, although nothing more was asked of it.
  void ShareRest(bool last) {
    for (const Cause& cause : Causes())
      if (cause.takes_rest != nullptr)
        for (const RestShare& rest : cause.takes_rest(a_.pair_, d_)) {
          if (rest.last != last) continue;
          Take(rest.state, cause.id, rest.share, d_.DeltaUs() < 0 ? -1 : 1);
          if (rest.either_way) Take(rest.state, cause.id, rest.share, d_.DeltaUs() < 0 ? 1 : -1);
        }
  }

  // Gives a share of what a state has left to a cause, if that has this sign.
  void Take(std::string_view reason, std::string_view cause, const Range& share, double sign) {
    const auto found = rest_.find(reason);
    if (found == rest_.end() || share.high == 0) return;
    const Range along = Along(sign, found->second);
    if (along.high == 0 || d_.DeltaUs() == 0) return;
    Book(cause, along * share * sign);
    found->second = along * Range(1 - share.low, 1 - share.high) * sign;
  }

  // What a state has left although nobody asked for so much more: to the causes in the change, by what samples blame in
  // it on the instructions that are theirs, and no more than that, nor than is unexplained of the whole.
  void ShareAsSampled() {
    if (a_.sampled_ == nullptr || d_.DeltaUs() == 0) return;
    const double sign = d_.DeltaUs() < 0 ? -1 : 1;
    // What a cause has of the change, if the operation is one of its own: as much as is proven, at least.
    const auto own_part = [&](const std::string& id, const Range& us, Operation operation) {
      const auto& scope = FindCause(id)->sampled;
      if (!scope || scope->stood_at || std::ranges::find(scope->operations, operation) == scope->operations.end())
        return Range();
      const Range along = Along(sign, us), evidence = a_.EvidenceOf(id, sign < 0 ? -1 : 1);
      return Range(a_.IsJudged(id) ? along.low * evidence.low : 0, along.high * evidence.high);
    };
    struct Gift {
      std::string state, cause;
      Range us;  // along the change
    };
    std::vector<Gift> gifts;
    Range left, given;
    for (const auto& [state, rest] : rest_) {
      left += rest * sign;
      // All of the kernel's instructions, or those before a barrier: whose they are, PassOn says.
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

  // Between the kernels of one launch no SM has work: with more of them, or fewer, idle SMs are launching's, if there
  // are many.
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
    // With as many kernels it is by how much counted cycles and timed ones disagree.
    if (known && !as_many)
      apart_[launch] += beyond;
    else
      rest_[launch] = beyond;
  }

  static std::string Idle() { return std::string(CauseOf(Factor::kImbalance).id); }

  // A warp at a barrier waits for one that waits for something else, and a warp that is not selected for one that
  // works: to the causes of that, in proportion to what they did to the difference.
  void PassOn(const std::string& reason) { rest_[reason] = PassOn(rest_[reason]); }

  // Waiting that vanished although nobody asked for less, while the whole got slower, is hidden behind what is waited
  // for now.
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

  // Returns what nobody takes.
  Range PassOn(const Range& us) {
    if ((us.low == 0 && us.high == 0) || d_.DeltaUs() == 0) return us;
    if (us.low < 0 && us.high > 0) {
      // Either way, or anything in between.
      const Parts before = waiting_;
      const Range more = PassOn(Range(0, us.high));
      const Parts with_more = std::exchange(waiting_, before);
      const Range less = PassOn(Range(us.low, 0));
      for (auto& [cause, part] : waiting_) part = Hull(part, with_more.at(cause));
      return Hull(more, less);
    }
    const double sign = d_.DeltaUs() < 0 ? -1 : 1;
    const bool adds = sign * (us.low + us.high) > 0;
    const Range size = Max(us, us * -1.0);  // its size, for it has one sign
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
  Decomposition d_;  // of what is latency's
  Parts waiting_;    // time that warps spend waiting or at work
  Parts apart_;      // time in which there are no warps: nothing is passed on to it
  Parts rest_;       // by stall reason: what no cause explains yet
  const MeasuredOccupancy* measured_ = nullptr;
};

Attributor::Attributor(const KernelView& base, const KernelView& candidate, const SampledPair* sampled)
    : base_(base),
      candidate_(candidate),
      sampled_(sampled),
      from_(base),
      to_(candidate),
      pair_(base, from_, candidate, to_),
      occupancy_(MeasureOccupancy(base, candidate)) {
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
    // A ratio over no accesses at all is judged: there is nothing there.
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
  bounds.came = EvidenceMoved(cause, base_, candidate_, 1);
  bounds.went = EvidenceMoved(cause, base_, candidate_, -1);
  bounds.most_candidate = MostShare(cause, candidate_, to_);
  bounds.most_base = MostShare(cause, base_, from_);
  return bounds;
}

std::set<std::string> Attributor::MissingStates(const Decomposition& d) const {
  std::set<std::string> missing = d.one_sided;
  for (const std::string_view state : kStates)
    for (const KernelView* kernel : {&base_, &candidate_}) {
      const Measured cycles = kernel->Get("stall_" + std::string(state));
      if (!cycles && cycles.absence() != Absence::kUnsupported) missing.emplace(state);
    }
  return missing;
}

bool Attributor::IsJudged(const std::string& cause) const { return BoundsOf(cause).judged; }

Range Attributor::EvidenceOf(const std::string& cause, int sign) const {
  return sign > 0 ? BoundsOf(cause).came : BoundsOf(cause).went;
}

Range Attributor::MostOf(const std::string& cause, int sign) const {
  return sign > 0 ? BoundsOf(cause).most_candidate : BoundsOf(cause).most_base;
}

std::vector<std::string> Attributor::Missing() const {
  std::set<std::string> missing = from_.missing;
  missing.insert(to_.missing.begin(), to_.missing.end());
  return {missing.begin(), missing.end()};
}

const Movement& Attributor::MovementIn(std::string_view stall) const {
  const std::optional<Wait> wait = WaitOf(stall);
  const auto found = movements_.find(wait);
  if (found != movements_.end()) return found->second;
  return movements_.emplace(wait, wait ? MovementOf(*wait, pair_) : Movement()).first->second;
}

// What was not measured of units' work can be either end of what is known; a cause gets the least of all.
Attribution Attributor::Attribute(const Decomposition& decomposition) const {
  const auto ends = [&](Range UnitWork::*side) -> std::vector<double> {
    if (std::ranges::all_of(Work(), [&](const UnitWork& unit) { return (unit.*side).IsPoint(); })) return {0};
    return {0, 0.5, 1};
  };
  std::vector<Attribution> all;
  for (const double base : ends(&UnitWork::base))
    for (const double candidate : ends(&UnitWork::candidate))
      all.push_back(Ledger(*this, decomposition, {base, candidate}).Close());
  Attribution result = LeastOf(all);
  // What ranges leave open is nobody's.
  result.rest["not_measured"] = 0;
  result.rest["not_measured"] = decomposition.DeltaUs() - SumOf(result.parts) - SumOf(result.rest);
  return result;
}

}  // namespace culprit
