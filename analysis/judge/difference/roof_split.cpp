// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/difference/roof_split.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <set>

namespace culprit {
namespace {

// 2, 3, 4, 5, 6 and 8 were tried on the planted pairs and their mixtures. From 4 on, the results are nearly equal: the
// median error for mixtures is 6.6 to 6.9 points. Below 4 they are worse (8.2 points at 3). 6 is in the middle.
constexpr double kLeastSharpness = 6;
// The largest value that the fit tries. Two units that are both busy for 98 % of the cycles need 35.
constexpr double kMostSharpness = 64;
// A unit's utilization is capped here, because the error of the counters is larger than the rest.
constexpr double kMaxBusy = 0.98;

constexpr std::array kBeyond = {Factor::kImbalance, Factor::kClock, Factor::kLaunch};

// A kernel, or the best of both.
struct Point {
  double time_us = 0, active = 0, warps = 0;
  std::vector<double> units;
  double latency = 0;
  std::array<double, kBeyond.size()> beyond{};  // time over active cycles, factor by factor
};

Point PointOf(const LaunchCounters& c, bool clocks, std::vector<double> units) {
  Point p{c.time_us, c.active, c.TotalWarpCycles() / c.active, std::move(units), 0, {}};
  for (double& u : p.units) u = std::min(u, kMaxBusy * p.active);
  const double inverse_clock = clocks ? 1 / c.clock_mhz : 1;
  p.beyond = {c.elapsed / c.active, inverse_clock, c.time_us / (c.elapsed * inverse_clock)};
  return p;
}

// The p-norm of a point's needs.
double NormOf(const std::vector<double>& units, double latency, double p) {
  double most = latency;
  for (const double u : units) most = std::max(most, u);
  if (!(most > 0)) return 0;
  double sum = std::pow(latency / most, p);
  for (const double u : units) sum += std::pow(u / most, p);
  return most * std::pow(sum, 1 / p);
}

double BusyPart(const Point& point, double p) { return std::pow(NormOf(point.units, 0, p) / point.active, p); }

double SharpnessOf(const Point& base, const Point& candidate) {
  const auto fits = [&](double p) { return BusyPart(base, p) <= 1 && BusyPart(candidate, p) <= 1; };
  if (fits(kLeastSharpness)) return kLeastSharpness;
  double low = kLeastSharpness, high = kMostSharpness;
  while (high - low > 1e-9 * high) (fits((low + high) / 2) ? high : low) = (low + high) / 2;
  return high;
}

// The effect of each need on the active cycles between two points. These are Shapley values, in which all orders of
// changes have equal weight.
struct Shares {
  std::vector<double> units;
  double latency = 0;
};
Shares SharesOf(const Point& end, const Point& best, double p) {
  // The changes of the changed needs' p-th powers, and the sum of all powers at the best point.
  struct Player {
    double more;
    double* share;
  };
  Shares shares{std::vector<double>(end.units.size()), 0};
  std::vector<Player> players;
  double at_best_sum = 0;
  const double scale = end.active;
  const auto add = [&](double at_end, double at_best, double* share) {
    const double from = std::pow(at_best / scale, p), to = std::pow(at_end / scale, p);
    at_best_sum += from;
    if (to > from) players.push_back({to - from, share});
  };
  for (std::size_t u = 0; u < end.units.size(); ++u) add(end.units[u], best.units[u], &shares.units[u]);
  add(end.latency, best.latency, &shares.latency);
  const std::size_t n = players.size();
  // The share of the n! orders that have k given changes before this one: k! (n - k - 1)! / n!.
  std::vector<double> weight(n);
  for (std::size_t k = 0; k < n; ++k)
    weight[k] = std::exp(std::lgamma(k + 1) + std::lgamma(n - k) - std::lgamma(n + 1));
  std::vector<double> active(std::size_t{1} << n);
  for (std::size_t changed = 0; changed < active.size(); ++changed) {
    double sum = at_best_sum;
    for (std::size_t i = 0; i < n; ++i)
      if (changed >> i & 1) sum += players[i].more;
    active[changed] = scale * std::pow(sum, 1 / p);
  }
  for (std::size_t changed = 0; changed < active.size(); ++changed) {
    const auto before = static_cast<std::size_t>(std::popcount(changed));
    for (std::size_t i = 0; i < n; ++i)
      if (!(changed >> i & 1))
        *players[i].share += weight[before] * (active[changed | std::size_t{1} << i] - active[changed]);
  }
  return shares;
}

// The part of a launch's idle cycles that any launch has.
double StartOf(const LaunchCounters& c, double most) {
  return c.sub_partitions > 0 ? std::clamp((c.elapsed - c.active) / c.sub_partitions, 0.0, most) : 0;
}
LaunchCounters WithoutStart(LaunchCounters c, double start) {
  const double elapsed = c.elapsed - start * c.sub_partitions;
  c.time_us *= elapsed / c.elapsed;
  c.elapsed = elapsed;
  return c;
}

double MeanOf(double a, double b) { return a > 0 && b > 0 ? LogarithmicMean(a, b) : 0; }

}  // namespace

RoofSplit SplitByRoof(const LaunchCounters& base_counters, const LaunchCounters& candidate_counters,
                      const std::vector<UnitNeed>& needs, double start_cycles, std::optional<double> slowdown) {
  const double start = std::min(StartOf(base_counters, start_cycles), StartOf(candidate_counters, start_cycles));
  const LaunchCounters from = WithoutStart(base_counters, start), to = WithoutStart(candidate_counters, start);
  const bool clocks = from.clock_mhz > 0 && to.clock_mhz > 0;
  std::vector<double> units_from, units_to;
  for (const UnitNeed& need : needs) {
    units_from.push_back(need.base);
    units_to.push_back(need.candidate);
  }
  Point base = PointOf(from, clocks, units_from), candidate = PointOf(to, clocks, units_to);
  const double p = SharpnessOf(base, candidate);
  for (Point* point : {&base, &candidate})
    point->latency = point->active * std::pow(std::max(0.0, 1 - BusyPart(*point, p)), 1 / p);

  const std::set<std::string> states = ReasonsOf(from, to);
  const auto waiting = [&](const Point& point, const LaunchCounters& c, const std::string& state) {
    return point.latency * point.warps * c.CyclesIn(state) / c.TotalWarpCycles();
  };
  Point best;
  best.warps = std::max(base.warps, candidate.warps);
  for (const std::string& state : states)
    best.latency += std::min(waiting(base, from, state), waiting(candidate, to, state)) / best.warps;
  for (std::size_t u = 0; u < needs.size(); ++u) best.units.push_back(std::min(base.units[u], candidate.units[u]));
  best.active = NormOf(best.units, best.latency, p);
  best.time_us = best.active;
  for (std::size_t i = 0; i < kBeyond.size(); ++i)
    best.time_us *= best.beyond[i] = std::min(base.beyond[i], candidate.beyond[i]);

  RoofSplit split;
  split.units.resize(needs.size());
  // The cycles of the start can take longer if the clock changed.
  const double of_start = (candidate_counters.time_us - to.time_us) - (base_counters.time_us - from.time_us);
  for (const Factor factor : {Factor::kParallelism, Factor::kImbalance, Factor::kClock, Factor::kLaunch})
    split.factors[factor] = 0;
  for (const std::string& state : states) {
    split.latency.push_back({state, 0, 0, {}, from.CyclesIn(state), to.CyclesIn(state)});
    for (const Factor factor : kFactors) split.latency.back().by_factor[factor] = 0;
  }
  split.factors[clocks ? Factor::kClock : Factor::kLaunch] = of_start;
  for (const bool came : {false, true}) {
    const Point& end = came ? candidate : base;
    const double sign = came ? 1 : -1;
    const double mean = MeanOf(end.time_us, best.time_us);
    for (std::size_t i = 0; i < kBeyond.size(); ++i)
      split.factors[kBeyond[i]] += sign * mean * std::log(end.beyond[i] / best.beyond[i]);
    const double us_per_cycle = mean / MeanOf(end.active, best.active);
    Shares shares = SharesOf(end, best, p);
    const double moved = end.latency - best.latency;
    const double price = moved > 0 ? shares.latency / moved * us_per_cycle : 0;
    // Latency is the product of waiting and 1 / warps.
    const double of_warps = MeanOf(end.latency, best.latency) * std::log(best.warps / end.warps);
    double by_warps = of_warps * price, by_waiting = (end.latency - best.latency - of_warps) * price;
    if (slowdown && end.warps < best.warps) {
      const double whole = end.active - best.active, of_units = whole - shares.latency;
      // The measured slow-down is for the whole path between the two kernels.
      const double most = std::max(0.0, whole) * us_per_cycle;
      by_warps = std::clamp(std::log(*slowdown) * MeanOf(base.time_us, candidate.time_us), 0.0, most);
      by_waiting = std::max(0.0, shares.latency * us_per_cycle - by_warps);
      if (by_warps > shares.latency * us_per_cycle)
        for (double& share : shares.units) share *= of_units > 0 ? (whole - by_warps / us_per_cycle) / of_units : 0;
    }
    for (std::size_t u = 0; u < needs.size(); ++u) {
      const double us = shares.units[u] * us_per_cycle, grown = end.units[u] - best.units[u];
      // The counted work exceeds what the unit can do.
      const double asked = sign * (needs[u].candidate - needs[u].base);
      const double counted = asked > 0 && grown > 0 ? std::min(1.0, grown / asked) : 0;
      if (counted > 0) split.units[u] = us / grown * counted;
      split.beyond_units_us += sign * us * (counted > 0 ? 1 - counted * asked / grown : 1);
    }
    split.factors[Factor::kParallelism] += sign * by_warps;
    // The cycles of the states show where warps wait longer, even if a unit's work hides a part of them.
    const auto grew = [&](const StallDifference& s) {
      return std::max(0.0, sign * (s.candidate_cycles - s.base_cycles));
    };
    double all = 0;
    for (const StallDifference& stall : split.latency) all += grew(stall);
    for (StallDifference& stall : split.latency) {
      const LaunchCounters& c = came ? to : from;
      const double share = all > 0 ? grew(stall) / all : c.CyclesIn(stall.reason) / c.TotalWarpCycles();
      stall.by_factor[Factor::kLatency] += sign * by_waiting * share;
      (came ? stall.candidate_us : stall.base_us) =
          end.latency * price * c.CyclesIn(stall.reason) / c.TotalWarpCycles();
    }
  }
  return split;
}

}  // namespace culprit
