// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/why/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <utility>

#include "analysis/judge/causes/cause.h"
#include "analysis/judge/difference/verdict.h"
#include "analysis/judge/why/attribute.h"
#include "analysis/judge/why/counterfactual.h"
#include "analysis/judge/why/headline.h"
#include "analysis/judge/why/replicate.h"
#include "analysis/launch/compare.h"
#include "analysis/launch/timing_caveats.h"
#include "analysis/number/format.h"

namespace culprit {
namespace {

// The largest share of warp cycles that may be in no counted state. The counted waiting matches the time only if
// resident warps and their states were counted equally often.
constexpr double kMaxOpenClosure = 0.05;
// A smaller part of a change is not listed, unless it is more than the noise of a time is.
constexpr double kLeastOfAChange = 0.05;
// Counted and timed cycles agree for launches that take at least this long (docs/evidence/noise.md).
constexpr double kShortUs = 20;

std::string CuptiName(const KernelView& base, const KernelView& candidate, const std::string& id) {
  for (const KernelView* view : {&candidate, &base})
    for (const Reading& reading : view->record().readings)
      if (reading.metric.id == id) return reading.metric.cupti_name;
  return "";
}

std::vector<CauseEvidence> Collect(const Cause& cause, const KernelView& base, const KernelView& candidate) {
  std::vector<CauseEvidence> evidence;
  for (const std::string_view view : cause.evidence) {
    const std::string id(view);
    const Measured from = base.Get(id), to = candidate.Get(id);
    if (!from && !to) continue;
    if (from.value_or(0) == 0 && to.value_or(0) == 0) continue;
    evidence.push_back({id, CuptiName(base, candidate, id), std::string((to ? candidate : base).UnitOf(id)), from, to});
  }
  return evidence;
}

// Causes with missing metrics, and causes that other missing metrics leave open.
std::vector<CauseNotJudged> NotJudged(const KernelView& base, const KernelView& candidate, const Attributor& attributor,
                                      const Attribution& attribution, double floor_us) {
  std::vector<CauseNotJudged> result;
  for (const Cause& cause : Causes()) {
    CauseNotJudged n{std::string(cause.id), attributor.MissingFor(cause)};
    if (const auto could = attribution.could.find(cause.id); could != attribution.could.end())
      n.could_us = std::max(std::abs(could->second.low), std::abs(could->second.high));
    if (n.missing.empty() && n.could_us > floor_us && !attribution.parts.contains(cause.id))
      n.missing = attributor.Missing();
    if (n.missing.empty()) continue;
    n.to_ask = ToAsk(n.missing, base, candidate);
    result.push_back(std::move(n));
  }
  std::ranges::stable_sort(result, std::greater<>(), &CauseNotJudged::could_us);
  return result;
}

std::string Upper(std::string sentence) {
  if (!sentence.empty() && sentence.front() >= 'a' && sentence.front() <= 'z') sentence.front() -= 'a' - 'A';
  return sentence;
}

// The counters of both kernels, or why they are missing.
struct CountedPair {
  std::optional<LaunchCounters> base, candidate;
  std::string why_not;
};

CountedPair Count(const KernelView& base, const KernelView& candidate, const SampledPair* sampled) {
  LaunchCountersResult from = CountersOf(base), to = CountersOf(candidate);
  if (!from.counters || !to.counters) {
    std::string why_not = from.counters ? to.why_not : from.why_not;
    if (!base.WasCounted() && !candidate.WasCounted() && to.why_not != from.why_not) why_not += " " + Upper(to.why_not);
    return {std::nullopt, std::nullopt, std::move(why_not)};
  }
  if (sampled != nullptr) TellApart(*sampled, *from.counters, *to.counters);
  return {std::move(from.counters), std::move(to.counters), {}};
}

void AddCounterCaveats(const KernelView& kernel, const LaunchCounters& c, std::vector<std::string>& caveats) {
  const std::string& name = kernel.record().stage.id;
  const double open = c.CyclesIn(kUnattributed), total = c.TotalWarpCycles();
  if (open > kMaxOpenClosure * total)
    caveats.push_back(fmt::format("{} of {}'s resident warp-cycles are in no stall state: its parts are rough.",
                                  Format(100 * open / total, Unit::kPercent), name));
  if (const double done = c.done_cycles / (total + c.done_cycles); done > kMaxOpenClosure)
    caveats.push_back(
        fmt::format("{} of {}'s resident warps only stay until others are done, by samples: they are left out.",
                    Format(100 * done, Unit::kPercent), name));
  if (c.time_us < kShortUs)
    caveats.push_back(fmt::format("{} takes {}: start and end of a launch are a large part of it.", name,
                                  Format(c.time_us, Unit::kTimeUs)));
}

void SortLargestFirst(auto& items, auto us_of) {
  std::ranges::stable_sort(items, std::ranges::greater(),
                           [&](const auto& item) { return std::abs(std::invoke(us_of, item)); });
}

// The places of the time that no cause claims.
std::vector<UnexplainedRest> RestOf(const Attribution& attribution, const SampledPair* sampled) {
  std::vector<UnexplainedRest> rest;
  for (const auto& [in, us] : attribution.rest) {
    if (us == 0) continue;
    UnexplainedRest& part = rest.emplace_back(UnexplainedRest{in, us});
    if (sampled == nullptr) continue;
    for (const auto& [operation, grew] : sampled->Grew(in, us < 0 ? -1 : 1))
      part.operations.emplace_back(TitleOf(operation), us < 0 ? -grew : grew);
    SortLargestFirst(part.operations, &std::pair<std::string, double>::second);
  }
  SortLargestFirst(rest, &UnexplainedRest::us);
  return rest;
}

// The causes whose parts are more than noise, and the others.
void AddParts(const KernelView& base, const KernelView& candidate, const Attribution& attribution,
              const Replicates& replicates, Explanation& e) {
  e.unexplained_us = attribution.UnexplainedUs();
  for (const auto& [id, us] : attribution.parts) {
    const auto scatter = replicates.causes.find(id);
    // What rests on a ratio of times alone has only their noise to be held against.
    const bool is_of_times = FindCause(id)->factor.has_value();
    const double floor_us = FloorUs(e.verdict.floor, *e.decomposition, id == CauseOf(Factor::kClock).id);
    const double least_us = is_of_times ? floor_us : std::min(floor_us, kLeastOfAChange * std::abs(e.DeltaUs()));
    const bool matters = std::abs(us) > least_us;
    if (!matters || scatter == replicates.causes.end() || !scatter->second.Excludes0()) {
      e.within_noise.emplace_back(id, us);
      e.unexplained_us += us;
      continue;
    }
    CausePart& part = e.causes.emplace_back();
    part.cause = id;
    part.delta_us = us;
    part.share = us / e.DeltaUs();
    part.scatter = scatter->second;
    part.text = SentenceFor(id, us, part.share);
    part.evidence = Collect(*FindCause(id), base, candidate);
    if (attribution.occupancy && attribution.occupancy->cause == id) part.measured = attribution.occupancy->Text();
  }
  for (CausePart& part : e.causes)
    part.interval = IntervalOf(part.delta_us, e.unexplained_us, *e.base_us, *e.candidate_us, *part.scatter);
  SortLargestFirst(e.within_noise, &std::pair<std::string, double>::second);
  // They are in the order of their names.
  SortLargestFirst(e.causes, &CausePart::delta_us);
  std::ranges::stable_partition(e.causes, [&](const CausePart& part) { return part.delta_us * e.DeltaUs() > 0; });
}

// The largest part, in the direction of the change, that a cause without a part may have.
double OpenUs(const Attribution& attribution, double delta_us) {
  const double sign = delta_us < 0 ? -1 : 1;
  double open_us = 0;
  for (const auto& [cause, us] : attribution.could)
    if (!attribution.parts.contains(cause)) open_us = std::max({open_us, sign * us.low, sign * us.high});
  return open_us;
}

// Caveats about the origin of the machine's figures, and about states that were not separated.
std::vector<std::string> CounterCaveats(const KernelView& base, const KernelView& candidate,
                                        const CountedPair& counted) {
  std::vector<std::string> caveats;
  AddCounterCaveats(base, *counted.base, caveats);
  AddCounterCaveats(candidate, *counted.candidate, caveats);
  if (IsSameCode(base.record(), candidate.record()))
    caveats.push_back(
        "Both are the same machine code, launched alike: what differs lies outside the kernel, such as where its data "
        "or its code lie, or what else the GPU did.");
  for (const KernelView* view : {&base, &candidate})
    if (const std::string borrowed = MachineOf(view->record().run.run).borrowed; !borrowed.empty()) {
      caveats.push_back(
          fmt::format("Waiting is weighed by throughputs of which this GPU's are not known: {}.", borrowed));
      break;
    }
  return caveats;
}

// At shorter periods, samples of one kernel at two periods differed by up to 29 % of the time (sampled_pair.h). From
// 4,096 cycles on they differed by at most 1.4 %, which needs no warning.
constexpr std::int64_t kShortPeriodCycles = 1024;

// A caveat about lines, and about the parts of causes that come from samples.
void AddPeriodCaveat(const SampledPair& sampled, std::vector<std::string>& caveats) {
  if (!sampled.base || !sampled.candidate) return;
  const std::int64_t base = sampled.base->period_cycles, candidate = sampled.candidate->period_cycles;
  if (base == candidate || std::min(base, candidate) >= kShortPeriodCycles) return;
  caveats.push_back(fmt::format(
      "The base was sampled every {} cycles, the candidate every {}: loops that keep time with a period "
      "are seen at other moments, so that lines are less sure.",
      Format(static_cast<double>(base), Unit::kCount), Format(static_cast<double>(candidate), Unit::kCount)));
}

// Caveats about other differences between the two, and about the quality of times and samples.
std::vector<std::string> PairCaveats(const KernelView& base, const KernelView& candidate, const SampledPair* sampled) {
  std::vector<std::string> caveats = Compare(base, candidate).caveats;
  for (const auto& [kernel, side] : {std::pair(&base, "base"), std::pair(&candidate, "candidate")})
    std::ranges::move(TimingCaveats(*kernel, fmt::format("{} ({})", kernel->record().stage.id, side)),
                      std::back_inserter(caveats));
  if (sampled != nullptr) AddPeriodCaveat(*sampled, caveats);
  return caveats;
}

Explanation ExplainPair(const KernelView& base, const KernelView& candidate, const SampledPair* sampled) {
  Explanation e;
  e.verdict = VerdictOnPair(base, candidate);
  e.base_us = base.Get("time_us");
  e.candidate_us = candidate.Get("time_us");
  e.unexplained_us = e.DeltaUs();
  e.caveats = PairCaveats(base, candidate, sampled);
  e.same_code = IsSameCode(base.record(), candidate.record());

  const CountedPair counted = Count(base, candidate, sampled);
  e.no_decomposition = counted.why_not;
  if (!counted.base) return e;
  e.decomposition = Decompose(*counted.base, *counted.candidate);
  std::ranges::move(CounterCaveats(base, candidate, counted), std::back_inserter(e.caveats));

  const Attributor attributor(base, candidate, sampled);
  const Attribution attribution = attributor.Attribute(*e.decomposition);
  const Replicates replicates =
      Replicate(base, candidate, sampled, attributor, *e.decomposition, attribution, e.verdict.floor);
  e.factor_scatter = replicates.factors;
  e.stall_scatter = replicates.stalls;
  e.not_judged = NotJudged(base, candidate, attributor, attribution,
                           e.verdict.floor.change * std::min(*e.base_us, *e.candidate_us));
  e.open_us = OpenUs(attribution, e.DeltaUs());
  if (!IsDifference(e.verdict.speed)) return e;

  AddParts(base, candidate, attribution, replicates, e);
  e.to_measure = ToMeasureOf(e, base, candidate, attributor, attribution);
  if (std::string caveat = ToMeasureCaveat(e); !caveat.empty()) e.caveats.push_back(std::move(caveat));
  e.rest = RestOf(attribution, sampled);
  return e;
}

}  // namespace

Explanation Explain(const KernelView& base, const KernelView& candidate) {
  return ExplainWith(nullptr, nullptr, base, candidate);
}

Explanation ExplainWith(const SampledPair* sampled, const Neighbours* neighbours, const KernelView& base,
                        const KernelView& candidate) {
  Explanation e = ExplainPair(base, candidate, sampled);
  // Neighbours explain a difference; most pairs of a gate have none, and loading neighbours is most of the work.
  if (neighbours == nullptr || !IsDifference(e.verdict.speed)) return e;
  const auto near = [&](const KernelView& kernel) {
    return neighbours->Load(kernel.record(), base.record(), candidate.record());
  };
  e.causes = CausesWithProofs(e, base, candidate, near(base), near(candidate));
  return e;
}

std::map<std::string, double, std::less<>> PartsBeyondFloor(const KernelView& base, const KernelView& candidate,
                                                            const SampledPair* sampled) {
  const Verdict verdict = VerdictOnPair(base, candidate);
  if (!IsDifference(verdict.speed)) return {};
  const CountedPair counted = Count(base, candidate, sampled);
  if (!counted.base) return {};
  const Decomposition whole = Decompose(*counted.base, *counted.candidate);
  auto parts = Attributor(base, candidate, sampled).Attribute(whole).parts;
  std::erase_if(parts, [&](const auto& part) {
    return std::abs(part.second) <= FloorUs(verdict.floor, whole, part.first == CauseOf(Factor::kClock).id);
  });
  return parts;
}

}  // namespace culprit
