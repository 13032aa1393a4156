// SPDX-License-Identifier: Apache-2.0
#include "analysis/gate/check.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string_view>
#include <utility>

#include "analysis/gate/comparable.h"
#include "analysis/gate/evidence.h"
#include "analysis/gate/judge_launch.h"
#include "analysis/gate/judge_program.h"
#include "analysis/judge/program/match.h"
#include "analysis/number/name_in.h"

namespace culprit {
namespace {

using ByStageAndShape = std::map<std::pair<std::string_view, std::string_view>, const KernelRecord*>;

// The first of each.
ByStageAndShape FirstsOf(std::span<const KernelRecord> kernels) {
  ByStageAndShape firsts;
  for (const KernelRecord& kernel : kernels) firsts.try_emplace({kernel.stage.id, kernel.launch.shape}, &kernel);
  return firsts;
}

const KernelRecord* FindLike(const KernelRecord& kernel, const ByStageAndShape& among) {
  const auto found = among.find({kernel.stage.id, kernel.launch.shape});
  return found == among.end() ? nullptr : found->second;
}

// The launches behind a judgement.
struct Pair {
  const KernelRecord *base, *candidate;
};

// What a regression is beyond its own verdict depends on all launches. `pairs`: of the launches, in their order.
void JudgeTogether(std::span<const Pair> pairs, double limit, const MeasuredRunNoise& noise,
                   std::vector<CheckedLaunch>& launches) {
  std::vector<ComparedLaunch> compared;
  std::vector<CheckedLaunch*> judged;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    if (!launches[i].explanation) continue;
    compared.push_back({pairs[i].base, pairs[i].candidate, &launches[i].explanation->verdict});
    judged.push_back(&launches[i]);
  }
  const std::vector<WeighedLaunch> weighed = WeighEvidence(compared, noise);
  for (std::size_t i = 0; i < judged.size(); ++i) {
    CheckedLaunch& launch = *judged[i];
    if (launch.judgement == Judgement::kRegression && weighed[i].standing != Standing::kShown) {
      const bool within_noise = weighed[i].standing == Standing::kRunNoise;
      launch.judgement = within_noise ? Judgement::kSame : Judgement::kSuspect;
      launch.why = weighed[i].why;
      if (within_noise && weighed[i].time->high > limit) launch.not_excluded = weighed[i].time->high;
    }
    if (std::string why = WhyNotTrusted(*compared[i].base, *compared[i].candidate);
        !why.empty() && launch.judgement != Judgement::kRegression && launch.judgement != Judgement::kSuspect) {
      launch.judgement = Judgement::kNotJudged;
      launch.not_excluded.reset();
      launch.why = std::move(why);
    }
  }
}

// The smallest first. What came, went or became faster is one class: there the time decides.
int UrgencyOf(const CheckedLaunch& launch, bool strict) {
  using enum Judgement;
  switch (launch.judgement) {
    case kRegression:
      return 0;
    case kSuspect:
      return 1;
    case kNotJudged:
      return 2;
    case kInconclusive:
      return 3;
    case kNotCompared:
    case kImprovement:
      return 4;
    case kWithinLimit:
    case kSame:
      return strict && launch.not_excluded ? 3 : launch.judgement == kWithinLimit ? 5 : 6;
  }
  return 6;
}

// Readers with little room see only the first launches.
void SortByUrgency(std::vector<CheckedLaunch>& launches, bool strict) {
  const auto urgency = [&](const CheckedLaunch& launch) {
    const double cost = std::abs(launch.CostUs().value_or(0));
    return std::pair(UrgencyOf(launch, strict), std::isfinite(cost) ? -cost : 0.0);
  };
  std::ranges::stable_sort(launches, std::less(), urgency);
}

}  // namespace

bool Passes(Judgement judgement) {
  using enum Judgement;
  return judgement != kNotJudged && judgement != kRegression && judgement != kSuspect && judgement != kInconclusive;
}

std::optional<double> CheckedLaunch::CostUs() const {
  if (added_us) return added_us;
  if (!base_us || !candidate_us) return std::nullopt;
  return calls * (*candidate_us - *base_us);
}

std::optional<Shift> CheckedLaunch::Change() const { return explanation ? explanation->verdict.time : std::nullopt; }

int Check::Count(Judgement judgement) const {
  return static_cast<int>(std::ranges::count(launches, judgement, &CheckedLaunch::judgement));
}

int Check::Compared() const { return static_cast<int>(launches.size()) - Count(Judgement::kNotCompared); }

CheckStatus Check::Status() const {
  const auto some = [this](Judgement judgement) {
    return Count(judgement) > 0 || (work && work->judgement == judgement);
  };
  if (some(Judgement::kRegression)) return CheckStatus::kRegression;
  const bool compared = Compared() > 0 || (different_programs && work);
  if (some(Judgement::kNotJudged) || !compared) return CheckStatus::kNotJudged;
  const bool open = some(Judgement::kSuspect) || some(Judgement::kInconclusive) || (strict && HasNotExcluded());
  return open ? CheckStatus::kInconclusive : CheckStatus::kFine;
}

bool Check::HasNotExcluded() const {
  return (work && work->not_excluded) ||
         std::ranges::any_of(launches, [](const CheckedLaunch& launch) { return launch.not_excluded.has_value(); });
}

Check MakeCheck(const RunSummary& base_run, std::span<const KernelRecord> base, const RunSummary& candidate_run,
                std::span<const KernelRecord> candidate, double max_slowdown, const Explainer& explain,
                const std::optional<WorkVerdict>& work, const GateOptions& options) {
  Check check{max_slowdown, base_run, candidate_run, {}, {}, {}, {}};
  check.strict = options.strict;
  check.not_comparable = WhyNotComparable(base_run.run, candidate_run.run, options.other_gpu);
  if (!check.not_comparable.empty()) return check;
  check.caveats = Differences(base_run, candidate_run);
  std::vector<Pair> pairs;
  const auto add = [&](Pair pair, CheckedLaunch launch) {
    pairs.push_back(pair);
    check.launches.push_back(std::move(launch));
  };
  if (base_run.run.program && candidate_run.run.program) {
    const std::vector<MatchedLaunches> matches = MatchLaunches(base, candidate);
    for (const MatchedLaunches& match : matches)
      add({match.base.empty() ? nullptr : &base[match.base.front()],
           match.candidate.empty() ? nullptr : &candidate[match.candidate.front()]},
          JudgeMatched(base, candidate, match, max_slowdown, explain));
    if (work) check.work = JudgeTheWhole(*work, max_slowdown, base, candidate, matches);
  } else {
    const ByStageAndShape in_base = FirstsOf(base), in_candidate = FirstsOf(candidate);
    for (const KernelRecord& kernel : base) {
      const KernelRecord* like = FindLike(kernel, in_candidate);
      add({&kernel, like}, JudgeLaunch(&kernel, like, max_slowdown, explain));
    }
    for (const KernelRecord& kernel : candidate)
      if (FindLike(kernel, in_base) == nullptr)
        add({nullptr, &kernel}, JudgeLaunch(nullptr, &kernel, max_slowdown, explain));
  }
  JudgeTogether(pairs, max_slowdown, options.noise, check.launches);
  SortByUrgency(check.launches, check.strict);
  return check;
}

std::string_view ToText(Judgement judgement) {
  using enum Judgement;
  return NameIn<Judgement>({{kRegression, "regression"},
                            {kSuspect, "suspect"},
                            {kWithinLimit, "within limit"},
                            {kSame, "same"},
                            {kImprovement, "improvement"},
                            {kInconclusive, "inconclusive"},
                            {kNotJudged, "not judged"},
                            {kNotCompared, "not compared"}},
                           judgement);
}

std::string_view ToText(CheckStatus status) {
  using enum CheckStatus;
  return NameIn<CheckStatus>(
      {{kFine, "fine"}, {kRegression, "regression"}, {kNotJudged, "not judged"}, {kInconclusive, "inconclusive"}},
      status);
}

}  // namespace culprit
