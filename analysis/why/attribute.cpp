// SPDX-License-Identifier: Apache-2.0
#include "analysis/why/attribute.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace culprit {
namespace {

// Queues make waiting grow faster than what is waited for. On the recorded H100 run sectors grow 6.6-fold from
// sgemm_naive to sgemm_naive_swapped and the waiting for them 14.6-fold: an exponent of 1.4. Growth beyond the third
// power of the demand's is not the demand's doing.
constexpr double kMaxExponent = 3;
// A unit that is busy nearly always makes waiting grow without bound: v1_8's L1 works at 91 % of its peak, and v1_7,
// which asks 9 % less of it, halves the waiting for shared memory, an exponent of 8.
constexpr double kMaxExponentOfSaturated = 10;
constexpr double kSaturatedPct = 80;

using Parts = std::map<std::string, double, std::less<>>;

double SumOf(const Parts& parts) {
  double sum = 0;
  for (const auto& [cause, us] : parts) sum += us;
  return sum;
}

// States that are one unit's: a queue before it fills only when the unit itself is busy.
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

// What of `us` the causes that moved can have caused: all of it, unless they moved too little for it.
double Explained(double us, double growth, double max_exponent, const Movement& m, double moved) {
  const double least = us > 0 ? m.from() : m.to();
  if (!(moved > 0)) return 0;
  if (!(least > 0) || !std::isfinite(growth)) return us;
  return us * std::min(1.0, max_exponent * std::log1p(moved / least) / growth);
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
    // Between the kernels of one launch no SM has work.
    const bool several =
        base_.Get("launch_kernels").value_or(1) > 1 || candidate_.Get("launch_kernels").value_or(1) > 1;
    Book(several ? "launch" : "imbalance_tail", d_.factors.at(Factor::kImbalance));
    Book("clock", d_.factors.at(Factor::kClock));
    Book("launch", d_.factors.at(Factor::kLaunch));
    ShareRest();
    PassOn("barrier");
    PassOn("not_selected");
    PassOnWhatHides();
    return {parts_, d_.DeltaUs() - SumOf(parts_)};
  }

 private:
  void Book(std::string_view cause, double us) {
    if (us != 0) parts_[std::string(cause)] += us;
  }

  void Share(const StallDifference& stall) {
    const double us = stall.DemandUs();
    if (us == 0) return;
    const Movement& m = a_.MovementOf(stall.reason);
    const Parts moved = m.Moved(us > 0 ? 1 : -1);
    const double total = SumOf(moved),
                 explained = Explained(us, Growth(stall, d_), MaxExponent(stall.reason, us), m, total);
    for (const auto& [cause, units] : moved) Book(cause, explained * units / total);
    rest_[stall.reason] = us - explained;
  }

  double MaxExponent(std::string_view reason, double us) const {
    const KernelView& slower = us > 0 ? candidate_ : base_;
    for (std::size_t unit = 0; unit < kUnits.size(); ++unit)
      if (std::find(kUnits[unit].begin(), kUnits[unit].end(), reason) != kUnits[unit].end())
        for (const std::string_view id : kBusyPct[unit])
          if (slower.Get(id).value_or(0) >= kSaturatedPct) return kMaxExponentOfSaturated;
    return kMaxExponent;
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
    Book(ParallelismCause(us), us);
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

  // Waiting for memory that grew although nothing more was asked of it.
  void ShareRest() {
    for (const char* reason : {"long_scoreboard", "lg_throttle", "drain", "short_scoreboard", "mio_throttle"}) {
      const bool shared = std::string_view(reason) == "short_scoreboard" || std::string_view(reason) == "mio_throttle";
      const Demand& slower = rest_[reason] > 0 ? to_ : from_;
      if (shared ? slower.shared_atomic > 0 : slower.atomic > 0)
        Book("atomics", Take(reason));
      else if (std::string_view(reason) == "long_scoreboard" && SameLoads())
        Book("exposed_latency", Take(reason));
    }
    Book("register_bank_dispatch", Take("dispatch_stall"));
    if (CodeGrew()) Book("instruction_cache", Take("no_instruction"));
  }

  bool SameLoads() const { return std::abs(std::log(to_.global_requests / from_.global_requests)) < 0.1; }

  bool CodeGrew() const {
    const Measured from = base_.Get("code_bytes"), to = candidate_.Get("code_bytes");
    const auto stall = rest_.find("no_instruction");
    return from && to && stall != rest_.end() && stall->second * (*to - *from) > 0;
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
  void PassOn(const std::string& reason) { PassOn(Take(reason)); }

  // Waiting that vanished although nobody asked for less, while the whole got slower, is hidden behind what is waited
  // for now.
  void PassOnWhatHides() {
    double hidden = 0;
    for (auto& [reason, rest] : rest_)
      if (rest * d_.DeltaUs() < 0) hidden += std::exchange(rest, 0);
    PassOn(hidden);
  }

  void PassOn(double us) {
    if (us == 0 || d_.DeltaUs() == 0) return;
    const double sign = d_.DeltaUs() < 0 ? -1 : 1;
    double total = 0;
    for (const auto& [cause, part] : parts_) total += std::max(0.0, sign * part);
    // Nobody to pass it on to: unexplained.
    if (total < std::abs(us) / 10) return;
    // What works against the change can undo the causes, not turn them round.
    const double passed = std::max(sign * us, -total);
    for (auto& [cause, part] : parts_)
      if (sign * part > 0) part += passed * part / total;
  }

  const Attributor& a_;
  const KernelView &base_, &candidate_;
  const Demand &from_, &to_;
  const Decomposition& d_;
  Parts parts_;
  Parts rest_;  // by stall reason: what no cause explains yet
};

Attributor::Attributor(const KernelView& base, const KernelView& candidate)
    : base_(base), candidate_(candidate), from_(base), to_(candidate) {}

const Movement& Attributor::MovementOf(const std::string& stall) const {
  const auto found = movements_.find(stall);
  if (found != movements_.end()) return found->second;
  return movements_.emplace(stall, MovementFor(stall, base_, from_, candidate_, to_)).first->second;
}

Attribution Attributor::Attribute(const Decomposition& decomposition) const {
  return Ledger(*this, decomposition).Close();
}

}  // namespace culprit
