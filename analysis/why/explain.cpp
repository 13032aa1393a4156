// SPDX-License-Identifier: Apache-2.0
#include "analysis/why/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "analysis/causes/cause.h"
#include "analysis/kernel/compare.h"
#include "analysis/kernel/how_to_measure.h"
#include "analysis/kernel/timing_caveats.h"
#include "analysis/render/format.h"
#include "analysis/verdict/pair_verdict.h"
#include "analysis/why/attribute.h"
#include "analysis/why/headline.h"
#include "analysis/why/model_error.h"
#include "analysis/why/replicate.h"

namespace culprit {
namespace {

// The counters' waiting is the time's only where resident warps are counted as often as their states.
constexpr double kMaxOpenClosure = 0.05;
// Launches for which cycles counted and cycles timed agree (docs/noise.md).
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
    evidence.push_back({id, CuptiName(base, candidate, id), (to ? candidate : base).UnitOf(id), from, to});
  }
  return evidence;
}

// A cause whose metrics are missing, and one that others which are missing leave open.
std::vector<CauseNotJudged> NotJudged(const Attributor& attributor, const Attribution& attribution, double floor_us) {
  std::vector<CauseNotJudged> result;
  for (const Cause& cause : Causes()) {
    CauseNotJudged n{std::string(cause.id), attributor.MissingFor(cause)};
    const auto could = attribution.could.find(cause.id);
    const bool open = could != attribution.could.end() &&
                      std::max(std::abs(could->second.low), std::abs(could->second.high)) > floor_us;
    if (n.missing.empty() && open && !attribution.parts.contains(cause.id)) n.missing = attributor.Missing();
    if (!n.missing.empty()) result.push_back(std::move(n));
  }
  return result;
}

// `done_cycles`: of warps that were taken for gone.
void AddCounterCaveats(const KernelView& kernel, const LaunchCounters& c, double done_cycles,
                       std::vector<std::string>& caveats) {
  const std::string& name = kernel.record().stage.id;
  const double open = c.CyclesIn(kUnattributed), total = c.TotalWarpCycles();
  if (open > kMaxOpenClosure * total)
    caveats.push_back(fmt::format("{} of {}'s resident warp-cycles are in no stall state: its parts are rough.",
                                  Format(100 * open / total, Unit::kPercent), name));
  if (const double done = done_cycles / (total + done_cycles); done > kMaxOpenClosure)
    caveats.push_back(
        fmt::format("{} of {}'s resident warps only stay until others are done, by samples: they are left out.",
                    Format(100 * done, Unit::kPercent), name));
  if (c.time_us < kShortUs)
    caveats.push_back(fmt::format("{} takes {}: start and end of a launch are a large part of it.", name,
                                  Format(c.time_us, Unit::kTimeUs)));
}

bool InDirection(const CausePart& part, double delta_us) { return part.delta_us * delta_us > 0; }

// Where it is that no cause claims it: what is left is an answer, too, if not to the question.
std::vector<UnexplainedRest> RestOf(const Attribution& attribution, const SampledPair* sampled) {
  std::vector<UnexplainedRest> rest;
  for (const auto& [in, us] : attribution.rest) {
    if (us == 0) continue;
    UnexplainedRest& part = rest.emplace_back(UnexplainedRest{in, us});
    if (sampled == nullptr) continue;
    for (const auto& [operation, grew] : sampled->Grew(in, us < 0 ? -1 : 1))
      part.operations.emplace_back(TitleOf(operation), us < 0 ? -grew : grew);
    std::ranges::stable_sort(part.operations, std::ranges::greater(),
                             [](const auto& operation) { return std::abs(operation.second); });
  }
  std::ranges::stable_sort(rest, std::ranges::greater(), [](const auto& part) { return std::abs(part.us); });
  return rest;
}

// Parts that can be told from noise, which their scatter holds, become causes; the others stay unexplained.
void AddCauses(const KernelView& base, const KernelView& candidate, const Attribution& attribution,
               const Replicates& replicates, Explanation& result) {
  const double delta_us = result.DeltaUs();
  result.unexplained_us = attribution.UnexplainedUs();
  for (const auto& [id, us] : attribution.parts) {
    const auto scatter = replicates.causes.find(id);
    if (scatter == replicates.causes.end() || !scatter->second.Excludes0()) {
      result.unexplained_us += us;
      result.within_noise.emplace_back(id, us);
      continue;
    }
    const Cause& cause = *FindCause(id);
    const double share = us / delta_us;
    result.causes.push_back({id,
                             us,
                             share,
                             scatter->second,
                             IntervalOf(us, delta_us, scatter->second),
                             SentenceFor(id, us, share),
                             Collect(cause, base, candidate),
                             {},
                             {},
                             {}});
    if (attribution.occupancy && attribution.occupancy->cause == id)
      result.causes.back().measured = attribution.occupancy->Text();
  }
  std::ranges::stable_sort(result.within_noise, std::ranges::greater(),
                           [](const auto& part) { return std::abs(part.second); });
  std::sort(result.causes.begin(), result.causes.end(), [&](const CausePart& a, const CausePart& b) {
    if (InDirection(a, delta_us) != InDirection(b, delta_us)) return InDirection(a, delta_us);
    if (std::abs(a.delta_us) != std::abs(b.delta_us)) return std::abs(a.delta_us) > std::abs(b.delta_us);
    return a.cause < b.cause;
  });
}

bool IsSameCode(const KernelRecord& base, const KernelRecord& candidate) {
  const auto launch = [](const LaunchRecord& l) {
    return std::tuple(l.grid_x, l.grid_y, l.grid_z, l.block_x, l.block_y, l.block_z, l.dynamic_shared_bytes, l.arch);
  };
  return !base.cubin_digest.empty() && base.cubin_digest == candidate.cubin_digest &&
         launch(base.launch) == launch(candidate.launch);
}

// Of which of the two exact counts are missing.
std::string_view WhereMissing(const KernelView& base, const KernelView& candidate) {
  const auto lacks = [](const KernelView& kernel) {
    const Exact exact = ExactOfBoth(kernel, kernel);
    return !exact.shared || !exact.global;
  };
  if (!lacks(base)) return "in the candidate";
  return lacks(candidate) ? "in both" : "in the base";
}

// What the weights of levels and pipes were measured on, and what was not told apart.
void AddPairCaveats(const KernelView& base, const KernelView& candidate, std::vector<std::string>& caveats) {
  if (IsSameCode(base.record(), candidate.record()))
    caveats.push_back(
        "Both are the same machine code, launched alike: what differs lies outside the kernel, such as where its data "
        "or its code lie, or what else the GPU did.");
  const Exact exact = ExactOfBoth(base, candidate);
  if (!exact.shared || !exact.global) {
    const std::string how = HowToCountExactly(base.record().run.run, candidate.record().run.run);
    caveats.push_back(fmt::format("Exact counts are missing {}: bank conflicts and coalescing are not judged{}{}.",
                                  WhereMissing(base, candidate), how.empty() ? "" : "; ", how));
  }
  for (const KernelView* view : {&base, &candidate})
    if (const std::string borrowed = MachineOf(view->record().run.run).borrowed; !borrowed.empty()) {
      caveats.push_back(
          fmt::format("Waiting is weighed by throughputs of which this GPU's are not known: {}.", borrowed));
      break;
    }
}

// Below it samples of one kernel at two periods were seen to differ by up to 29 % of the time (sampled_pair.h); from
// 4,096 on by 1.4 %, which is no news.
constexpr std::int64_t kShortPeriodCycles = 1024;

// Of lines, and of what causes take from samples.
void AddPeriodCaveat(const SampledPair& sampled, std::vector<std::string>& caveats) {
  if (!sampled.base || !sampled.candidate) return;
  const std::int64_t base = sampled.base->period_cycles, candidate = sampled.candidate->period_cycles;
  if (base == candidate || std::min(base, candidate) >= kShortPeriodCycles) return;
  caveats.push_back(fmt::format(
      "The base was sampled every {} cycles, the candidate every {}: loops that keep time with a period "
      "are seen at other moments, so that lines are less sure.",
      Format(static_cast<double>(base), Unit::kCount), Format(static_cast<double>(candidate), Unit::kCount)));
}

void SetVerdict(const KernelView& base, const KernelView& candidate, Explanation& result) {
  result.base_us = base.Get("time_us");
  result.candidate_us = candidate.Get("time_us");
  result.verdict = VerdictOnPair(base, candidate);
}

}  // namespace

Explanation Explain(const KernelView& base, const KernelView& candidate) {
  return ExplainSampled(base, candidate, nullptr);
}

Explanation ExplainSampled(const KernelView& base, const KernelView& candidate, const SampledPair* sampled) {
  Explanation result;
  SetVerdict(base, candidate, result);
  result.unexplained_us = result.DeltaUs();
  result.caveats = Compare(base, candidate).caveats;
  for (const auto& [kernel, side] : {std::pair(&base, "base"), std::pair(&candidate, "candidate")})
    for (std::string& caveat : TimingCaveats(*kernel, fmt::format("{} ({})", kernel->record().stage.id, side)))
      result.caveats.push_back(std::move(caveat));
  if (sampled != nullptr) AddPeriodCaveat(*sampled, result.caveats);

  LaunchCountersResult from = CountersOf(base), to = CountersOf(candidate);
  if (!from.counters || !to.counters) {
    result.no_decomposition = from.counters ? to.why_not : from.why_not;
    if (!base.WasCounted() && !candidate.WasCounted()) result.no_decomposition += " Also, " + to.why_not;
    return result;
  }
  const double all_from = from.counters->TotalWarpCycles(), all_to = to.counters->TotalWarpCycles();
  if (sampled != nullptr) TellApart(*sampled, *from.counters, *to.counters);
  result.decomposition = Decompose(*from.counters, *to.counters);
  AddCounterCaveats(base, *from.counters, all_from - from.counters->TotalWarpCycles(), result.caveats);
  AddCounterCaveats(candidate, *to.counters, all_to - to.counters->TotalWarpCycles(), result.caveats);
  AddPairCaveats(base, candidate, result.caveats);
  const Attributor attributor(base, candidate, sampled);
  const Attribution attribution = attributor.Attribute(*result.decomposition);
  const Replicates replicates =
      Replicate(base, candidate, sampled, *result.decomposition, attribution, result.verdict.floor);
  result.not_judged =
      NotJudged(attributor, attribution, result.verdict.floor.change * std::min(*result.base_us, *result.candidate_us));
  const double sign = result.DeltaUs() < 0 ? -1 : 1;
  for (const auto& [cause, us] : attribution.could)
    if (!attribution.parts.contains(cause)) result.open_us = std::max({result.open_us, sign * us.low, sign * us.high});
  result.factor_scatter = replicates.factors;
  result.stall_scatter = replicates.stalls;
  if (IsDifference(result.verdict.speed)) {
    AddCauses(base, candidate, attribution, replicates, result);
    result.rest = RestOf(attribution, sampled);
  }
  return result;
}

std::map<std::string, double, std::less<>> PartsBeyondFloor(const KernelView& base, const KernelView& candidate,
                                                            const SampledPair* sampled) {
  Explanation judged;
  SetVerdict(base, candidate, judged);
  if (!IsDifference(judged.verdict.speed)) return {};
  LaunchCountersResult from = CountersOf(base), to = CountersOf(candidate);
  if (!from.counters || !to.counters) return {};
  if (sampled != nullptr) TellApart(*sampled, *from.counters, *to.counters);
  const Decomposition whole = Decompose(*from.counters, *to.counters);
  auto parts = Attributor(base, candidate, sampled).Attribute(whole).parts;
  std::erase_if(parts, [&](const auto& part) {
    return std::abs(part.second) <= FloorUs(judged.verdict.floor, whole, part.first == CauseOf(Factor::kClock).id);
  });
  return parts;
}

}  // namespace culprit
