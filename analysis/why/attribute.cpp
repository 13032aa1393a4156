// SPDX-License-Identifier: Apache-2.0
#include "analysis/why/attribute.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

namespace culprit {
namespace {

// Queues make waiting grow faster than what is waited for. On the recorded H100 run sectors grow 6.6-fold from
// sgemm_naive to sgemm_naive_swapped and the waiting for them 14.6-fold: an exponent of 1.4. Growth beyond the third
// power of the demand's is not the demand's doing.
constexpr double kMaxExponent = 3;
// No unit is seen busier than this: beyond it the counters' own error decides.
constexpr double kMaxBusy = 0.98;
// Atomics that are fewer of a kernel's accesses are not what it waits for.
constexpr double kMinAtomicShare = 0.05;
// The instruction cache of an SM of an H100; smaller code fits whole.
constexpr double kInstructionCacheBytes = 128 * 1024;

using Parts = std::map<std::string, double, std::less<>>;

double SumOf(const Parts& parts) {
  double sum = 0;
  for (const auto& [key, us] : parts) sum += us;
  return sum;
}

// States that are one unit's: a queue before it fills only when the unit itself is busy.
constexpr std::size_t kMemory = 0, kShared = 1;
constexpr std::array<std::array<std::string_view, 3>, 2> kUnits = {{
    {"long_scoreboard", "lg_throttle", "drain"},
    {"short_scoreboard", "mio_throttle"},
}};

// What tells how busy each of them is.
constexpr std::array<std::array<std::string_view, 3>, 2> kBusyPct = {{
    {"l1_throughput_pct", "l2_throughput_pct", "dram_throughput_pct"},
    {"l1_throughput_pct", "shared_wavefronts_pct", "lsu_pipe_pct"},
}};

// ln of how many times longer warps wait for the unit of this state: of the state alone or of all states of its unit,
// whichever is less. Infinite where one of the two never waits.
double Growth(const StallDifference& stall, const Decomposition& d) {
  const auto growth = [](double from_us, double to_us, double demand_us) {
    if (!(from_us > 0) || !(to_us > 0)) return std::numeric_limits<double>::infinity();
    return std::abs(demand_us) / LogarithmicMean(to_us, from_us);
  };
  double least = growth(stall.base_us, stall.candidate_us, stall.DemandUs());
  for (const auto& unit : kUnits) {
    if (std::find(unit.begin(), unit.end(), stall.reason) == unit.end()) continue;
    double from_us = 0, to_us = 0, demand_us = 0;
    for (const std::string_view reason : unit)
      if (const StallDifference* other = d.Find(reason)) {
        from_us += other->base_us;
        to_us += other->candidate_us;
        demand_us += other->DemandUs();
      }
    if (demand_us * stall.DemandUs() > 0) least = std::min(least, growth(from_us, to_us, demand_us));
  }
  return least;
}

// How busy the unit of this state is, of its peak; 0 where it is no such unit or that was not counted.
double Busy(const KernelView& kernel, std::string_view reason) {
  double busiest = 0;
  for (std::size_t unit = 0; unit < kUnits.size(); ++unit)
    if (std::find(kUnits[unit].begin(), kUnits[unit].end(), reason) != kUnits[unit].end())
      for (const std::string_view id : kBusyPct[unit]) busiest = std::max(busiest, kernel.Get(id).value_or(0) / 100);
  return std::min(busiest, kMaxBusy);
}

// Occupancies closer than this are the same.
constexpr double kSameOccupancy = 0.95;

constexpr std::pair<std::string_view, std::string_view> kWarpLimits[] = {
    // First those that hold for every kernel: shared memory has a reserve for each block, so an empty block reaches
    // both.
    {"blocks_per_sm_by_warps", "occupancy_block"},
    {"blocks_per_sm_by_blocks", "occupancy_block"},
    {"blocks_per_sm_by_registers", "occupancy_registers"},
    {"blocks_per_sm_by_shared", "occupancy_shared"},
};

// Resident threads per SM; infinite when it is not known what limits them.
double ThreadsAllowed(const KernelView& kernel, std::string_view id) {
  const Measured allowed = kernel.Get(id) * kernel.Get("block_threads");
  return allowed.value_or(std::numeric_limits<double>::infinity());
}

}  // namespace

class Attributor::Ledger {
 public:
  Ledger(const Attributor& a, const Decomposition& d)
      : a_(a), base_(a.base_), candidate_(a.candidate_), from_(a.from_), to_(a.to_), d_(d) {}

  Attribution Close() {
    for (const StallDifference& stall : d_.stalls) Share(stall);
    ShareParallelism();
    ShareRest();
    PassOn("barrier");
    PassOn("not_selected");
    PassOnWhatHides();
    ShareElapsed();
    Parts parts = waiting_;
    for (const auto& [cause, us] : apart_) parts[cause] += us;
    return {std::move(parts), std::move(rest_)};
  }

 private:
  // Time that warps spend waiting or at work.
  void Book(std::string_view cause, double us) {
    if (us != 0) waiting_[std::string(cause)] += us;
  }
  // Time in which there are no warps: nothing is passed on to it.
  void BookApart(std::string_view cause, double us) {
    if (us != 0) apart_[std::string(cause)] += us;
  }

  void Share(const StallDifference& stall) {
    const double us = stall.DemandUs();
    if (us == 0) return;
    const Movement& m = a_.MovementOf(stall.reason);
    const Parts moved = m.Moved(us > 0 ? 1 : -1);
    const double total = SumOf(moved), explained = Explained(stall, m, total);
    for (const auto& [cause, units] : moved) Book(cause, explained * units / total);
    rest_[stall.reason] += us - explained;
  }

  // What the causes that moved, by `moved` units together, can have caused of a state's change: all of it, unless they
  // moved too little. A busy unit makes waiting grow by itself: as 1 / (1 - busy), the time in the queue of a server
  // (M/M/1; Kleinrock, "Queueing Systems", 1975).
  double Explained(const StallDifference& stall, const Movement& m, double moved) const {
    const double us = stall.DemandUs(), least = us > 0 ? m.from() : m.to(), growth = Growth(stall, d_);
    if (!(moved > 0)) return 0;
    if (!(least > 0) || !std::isfinite(growth)) return us;
    const double slower = Busy(us > 0 ? candidate_ : base_, stall.reason);
    const double faster = Busy(us > 0 ? base_ : candidate_, stall.reason);
    const double queue = std::max(0.0, std::log((1 - faster) / (1 - slower)));
    return us * std::min(1.0, (kMaxExponent * std::log1p(moved / least) + queue) / growth);
  }

  // Fewer resident warps wait less for each other: what waiting vanished with the warps that did is no gain, and what
  // came with more of them no loss.
  void ShareParallelism() {
    double us = d_.factors.at(Factor::kParallelism);
    double against = 0;
    for (const auto& [reason, rest] : rest_)
      if (rest * us < 0) against += rest;
    if (against != 0) {
      const double kept = std::max(0.0, 1 - std::abs(us / against));
      for (auto& [reason, rest] : rest_)
        if (rest * us < 0) rest *= kept;
      us = std::abs(us) > std::abs(against) ? us + against : 0;
    }
    const std::string_view cause = ParallelismCause(us);
    cause == "imbalance_tail" ? BookApart(cause, us) : Book(cause, us);
  }

  // What limits the one with fewer warps, if its limit is lower and its grid reaches it; else its warps ran out: blocks
  // that end early or start late, or too few of them.
  std::string_view ParallelismCause(double us) const {
    const KernelView& fewer = us > 0 ? candidate_ : base_;
    const KernelView& more = us > 0 ? base_ : candidate_;
    const Measured low = fewer.Get("theoretical_occupancy"), high = more.Get("theoretical_occupancy");
    if (!low || !high || *low > kSameOccupancy * *high) return "imbalance_tail";
    if (fewer.Get("waves").value_or(1) < kSameOccupancy) return "imbalance_tail";
    std::string_view cause = "occupancy_block";
    double least = std::numeric_limits<double>::infinity(), drop = 0;
    for (const auto& [id, resource_cause] : kWarpLimits) {
      const double allowed = ThreadsAllowed(fewer, id), before = ThreadsAllowed(more, id);
      // Of several that allow the same it is the one that allowed most before.
      if (allowed > least || (allowed == least && before - allowed <= drop)) continue;
      least = allowed;
      drop = before - allowed;
      cause = resource_cause;
    }
    return cause;
  }

  // Waiting for memory that grew, as the whole did, although nothing more was asked of it.
  void ShareRest() {
    // What is of the change has its sign.
    const Demand& slower = d_.DeltaUs() > 0 ? to_ : from_;
    ShareWithAtomics(kUnits[kMemory], slower.atomic, slower.local_requests + slower.global_requests);
    ShareWithAtomics(kUnits[kShared], slower.shared_atomic, slower.shared_useful + slower.shared_conflicts);
    if (IsOfTheChange("long_scoreboard") && SameLoads()) Book("exposed_latency", Take("long_scoreboard"));
    if (IsOfTheChange("dispatch_stall")) Book("register_bank_dispatch", Take("dispatch_stall"));
    if (IsOfTheChange("no_instruction") && CodeOutgrewTheCache()) Book("instruction_cache", Take("no_instruction"));
  }

  void ShareWithAtomics(std::span<const std::string_view> unit, double atomics, double others) {
    if (!(atomics > kMinAtomicShare * (atomics + others))) return;
    for (const std::string_view state : unit)
      if (const std::string reason(state); IsOfTheChange(reason)) Book("atomics", Take(reason));
  }

  bool IsOfTheChange(const std::string& reason) const {
    const auto found = rest_.find(reason);
    return found != rest_.end() && found->second * d_.DeltaUs() > 0;
  }

  // Between the kernels of one launch no SM has work: with more of them, or fewer, idle SMs are launching's.
  void ShareElapsed() {
    const double kernels_from = base_.Get("launch_kernels").value_or(1);
    const double kernels_to = candidate_.Get("launch_kernels").value_or(1);
    BookApart(kernels_from == kernels_to ? "imbalance_tail" : "launch", d_.factors.at(Factor::kImbalance));
    if (base_.Get("clock_mhz") && candidate_.Get("clock_mhz"))
      BookApart("clock", d_.factors.at(Factor::kClock));
    else
      rest_["clock"] = d_.factors.at(Factor::kClock);
    // With as many kernels it is by how much counted cycles and timed ones disagree.
    if (kernels_from != kernels_to)
      BookApart("launch", d_.factors.at(Factor::kLaunch));
    else
      rest_["launch"] = d_.factors.at(Factor::kLaunch);
  }

  bool SameLoads() const { return std::abs(std::log(to_.global_requests / from_.global_requests)) < 0.1; }

  // For recordings in which the cache's misses were not counted.
  bool CodeOutgrewTheCache() const {
    if (base_.Get("icc_misses") && candidate_.Get("icc_misses")) return false;
    const KernelView& slower = rest_.at("no_instruction") > 0 ? candidate_ : base_;
    return slower.Get("code_bytes").value_or(0) > kInstructionCacheBytes;
  }

  double Take(const std::string& reason) {
    const auto found = rest_.find(reason);
    if (found == rest_.end()) return 0;
    const double us = found->second;
    rest_.erase(found);
    return us;
  }

  // A warp at a barrier waits for one that waits for something else, and a warp that is not selected for one that
  // works: to the causes of that, in proportion to what they did to the difference.
  void PassOn(const std::string& reason) { rest_[reason] = PassOn(rest_[reason]); }

  // Waiting that vanished although nobody asked for less, while the whole got slower, is hidden behind what is waited
  // for now.
  void PassOnWhatHides() {
    double hidden = 0;
    for (auto& [reason, rest] : rest_)
      if (rest * d_.DeltaUs() < 0) hidden += std::exchange(rest, 0);
    rest_["hidden"] = PassOn(hidden);
  }

  // Returns what nobody takes.
  double PassOn(double us) {
    if (us == 0 || d_.DeltaUs() == 0) return us;
    const double sign = d_.DeltaUs() < 0 ? -1 : 1;
    double total = 0;
    for (const auto& [cause, part] : waiting_) total += std::max(0.0, sign * part);
    if (total < std::abs(us) / 10) return us;
    // What works against the change can undo the causes, not turn them round.
    const double passed = std::max(sign * us, -total);
    for (auto& [cause, part] : waiting_)
      if (sign * part > 0) part += passed * part / total;
    return us - sign * passed;
  }

  const Attributor& a_;
  const KernelView &base_, &candidate_;
  const Demand &from_, &to_;
  const Decomposition& d_;
  Parts waiting_, apart_;
  Parts rest_;  // by stall reason: what no cause explains yet
};

Attributor::Attributor(const KernelView& base, const KernelView& candidate)
    : base_(base),
      candidate_(candidate),
      from_(base, ExactOfBoth(base, candidate)),
      to_(candidate, ExactOfBoth(base, candidate)) {}

double Attribution::UnexplainedUs() const { return SumOf(rest); }

const Movement& Attributor::MovementOf(const std::string& stall) const {
  const auto found = movements_.find(stall);
  if (found != movements_.end()) return found->second;
  return movements_.emplace(stall, MovementFor(stall, base_, from_, candidate_, to_)).first->second;
}

Attribution Attributor::Attribute(const Decomposition& decomposition) const {
  return Ledger(*this, decomposition).Close();
}

}  // namespace culprit
