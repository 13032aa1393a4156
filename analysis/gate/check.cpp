// SPDX-License-Identifier: Apache-2.0
#include "analysis/gate/check.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <functional>
#include <map>
#include <string_view>
#include <utility>

#include "analysis/gate/change_text.h"
#include "analysis/gate/comparable.h"
#include "analysis/gate/evidence.h"
#include "analysis/gate/family.h"
#include "analysis/judge/program/match.h"
#include "analysis/judge/program/program_why.h"
#include "analysis/judge/program/work_verdict.h"
#include "analysis/number/format.h"
#include "analysis/number/joined.h"
#include "analysis/number/name_in.h"
#include "analysis/number/statistics.h"

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

bool IsTimed(const KernelRecord& kernel) { return bool(KernelView(kernel).Get("time_us")); }

// "2 of its 16 times in the base run are no positive, finite numbers: record it again." Empty: all are.
std::string NoTimesIn(const char* run, const KernelRecord& kernel) {
  const int n = Summarize(kernel.samples).no_times;
  if (n == 0) return {};
  return fmt::format("{} of its {} times in the {} run {}: record it again.", n, kernel.samples.size(), run,
                     n == 1 ? "is no positive, finite number" : "are no positive, finite numbers");
}

// Empty: it was timed.
std::string NotTimedIn(const char* run, const KernelRecord& kernel) {
  if (IsTimed(kernel)) return {};
  const std::string why = NoTimesIn(run, kernel);
  return why.empty() ? fmt::format("It was not timed in the {} run.", run) : why;
}

// A run whose times are in part no times vouches for none of them.
std::string WhyNotTrusted(const KernelRecord& base, const KernelRecord& candidate) {
  const std::string why = NoTimesIn("base", base);
  return why.empty() ? NoTimesIn("candidate", candidate) : why;
}

// Compared with something, by the recorder's own word; cuBLAS, the reference, is compared with nothing.
bool IsVerified(const KernelRecord& kernel) { return kernel.launch.verify_error_over_bound.has_value(); }

// A recording may hold a launch that is off by more than its bound and ended well all the same. An error below 0 is
// none that anything can have measured.
bool IsWrong(const KernelRecord& kernel) {
  const auto& error = kernel.launch.verify_error_over_bound;
  return IsVerified(kernel) && !(*error >= 0 && *error <= 1);
}

std::string WrongIn(const char* run, const LaunchRecord& launch) {
  if (!(*launch.verify_error_over_bound >= 0))
    return fmt::format(
        "Its results are not known to be right in the {} run: an error of {:.3g} times its bound is none.", run,
        *launch.verify_error_over_bound);
  const double error = *launch.verify_error_over_bound;
  return fmt::format("Its results are wrong in the {} run: their error is {}.", run,
                     std::isfinite(error) ? fmt::format("{:.3g} times its bound", error) : "infinite");
}

bool SameLaunch(const LaunchRecord& a, const LaunchRecord& b) {
  const auto dimensions = [](const LaunchRecord& l) {
    return std::array{l.grid_x, l.grid_y, l.grid_z, l.block_x, l.block_y, l.block_z};
  };
  return dimensions(a) == dimensions(b) && a.dynamic_shared_bytes == b.dynamic_shared_bytes;
}

std::string StateIn(const char* run, const LaunchRecord& launch) {
  return fmt::format("It {} in the {} run: {}", launch.state == LaunchState::kRefused ? "refused the shape" : "failed",
                     run, launch.message);
}

// What the candidate cannot show. Empty: it can be held against a base that was timed.
std::string WhyNotJudged(const KernelRecord& base, const KernelRecord* candidate) {
  if (candidate == nullptr) return "The candidate run did not launch it.";
  if (candidate->launch.state != LaunchState::kOk) return StateIn("candidate", candidate->launch);
  if (IsWrong(*candidate)) return WrongIn("candidate", candidate->launch);
  if (std::string why = NotTimedIn("candidate", *candidate); !why.empty()) return why;
  if (IsVerified(base) && !IsVerified(*candidate))
    return "Its results were verified in the base run and not in the candidate run.";
  return {};
}

// Why the base says nothing to hold a candidate against. Empty: it does.
std::string WhyNotCompared(const KernelRecord* base) {
  if (base == nullptr) return "New in the candidate run.";
  if (base->launch.state != LaunchState::kOk) return StateIn("base", base->launch);
  if (IsWrong(*base)) return WrongIn("base", base->launch);
  return NotTimedIn("base", *base);
}

// The upper end of what time and cycles leave open; none without intervals. A clock that rose can hide in the time what
// the cycles show.
std::optional<double> Worst(const Verdict& verdict) {
  if (!verdict.time) return std::nullopt;
  return std::max(verdict.time->high, verdict.cycles ? verdict.cycles->high : verdict.time->high);
}

// The same code takes as many cycles as before, whatever the clock does: a time that rose alone shows no regression.
bool CyclesRose(const Verdict& verdict, double limit) { return verdict.cycles && verdict.cycles->change > limit; }

std::string WhyNotTheCode(const Verdict& verdict) {
  return fmt::format(
      "Its code and its launch are the same, its time rose by {} and {}: record both runs again, one after the other.",
      ChangeText(verdict.time->change),
      verdict.cycles ? fmt::format("its cycles by {}", ChangeText(verdict.cycles->change)) : "its clock is not known");
}

// `above`: the estimate is above the limit; `excluded`: the interval ends below it.
Judgement JudgementOf(Speed speed, bool above, bool excluded) {
  switch (speed) {
    case Speed::kFaster:
      return Judgement::kImprovement;
    case Speed::kSlower:
      return above ? Judgement::kRegression : Judgement::kWithinLimit;
    case Speed::kSame:
      return Judgement::kSame;
    case Speed::kAmbiguous:
      return excluded ? Judgement::kWithinLimit : Judgement::kInconclusive;
  }
  return Judgement::kInconclusive;
}

void JudgeTimes(CheckedLaunch& launch, double limit) {
  const Verdict& verdict = launch.explanation->verdict;
  const std::optional<double> worst = Worst(verdict);
  launch.why = verdict.reason;
  const Speed speed = verdict.by_clock ? Speed::kAmbiguous : verdict.speed;  // of the code
  launch.judgement = JudgementOf(speed, !verdict.time || verdict.time->change > limit, worst && *worst <= limit);
  if (speed == Speed::kAmbiguous) return;
  if (launch.judgement == Judgement::kRegression && launch.same_program && !CyclesRose(verdict, limit)) {
    launch.judgement = Judgement::kInconclusive;
    launch.why = WhyNotTheCode(verdict);
  }
  if (Passes(launch.judgement) && worst && *worst > limit) launch.not_excluded = worst;
  if (TimeContains0(verdict))
    launch.remarks.push_back(
        fmt::format("It is {} by its cycles alone: the interval of its time contains 0.", ToText(verdict.speed)));
}

// What code and launch say of a difference. Counters of one program differ by chance, so they explain nothing.
void CompareCode(const KernelRecord& base, const KernelRecord& candidate, CheckedLaunch& launch) {
  if (base.cubin_digest.empty() || candidate.cubin_digest.empty() || base.launch.arch != candidate.launch.arch) return;
  launch.same_code = base.cubin_digest == candidate.cubin_digest;
  if (!*launch.same_code) return;
  const bool same_launch = SameLaunch(base.launch, candidate.launch);
  // A benchmark gives both the same inputs; what a program computes on may be what changed.
  launch.same_program = same_launch && !base.program;
  Explanation& explanation = *launch.explanation;
  if (explanation.verdict.speed == Speed::kSame) return;
  if (same_launch && !launch.same_program) {
    if (IsDifference(explanation.verdict.speed))
      launch.remarks.push_back(
          fmt::format("Its code and its launch are the same in both runs: {}.", WhatIsLeft(base, candidate)));
    return;
  }
  if (!same_launch) {
    launch.remarks.push_back("Its code is the same in both runs; its grid, block or dynamic shared memory is not.");
    return;
  }
  launch.remarks.push_back(
      "Its code and its launch are the same in both runs: this is noise, the clock or the machine, not the code.");
  explanation.causes.clear();
  explanation.not_judged.clear();
  explanation.decomposition.reset();
  explanation.no_decomposition = launch.remarks.back();
  explanation.unexplained_us = explanation.DeltaUs();
}

CheckedLaunch NewLaunch(const KernelRecord* base, const KernelRecord* candidate, Judgement judgement) {
  const KernelRecord &one = base ? *base : *candidate, &newer = candidate ? *candidate : *base;
  CheckedLaunch launch{one.stage.id, one.launch.shape, judgement, {}, {}, {}, {}, {}, {}, {}, {}};
  launch.source_file = newer.stage.source_file;
  launch.source_line = newer.stage.source_line;
  if (newer.program) launch.calls = static_cast<double>(newer.program->calls);
  return launch;
}

CheckedLaunch JudgeLaunch(const KernelRecord* base, const KernelRecord* candidate, double limit,
                          const Explainer& explain) {
  const KernelRecord& one = base ? *base : *candidate;
  CheckedLaunch launch = NewLaunch(base, candidate, Judgement::kNotJudged);
  if (base) launch.base_us = KernelView(*base).Get("time_us");
  if (candidate) launch.candidate_us = KernelView(*candidate).Get("time_us");
  const bool failed = candidate && (candidate->launch.state == LaunchState::kFailed || IsWrong(*candidate));
  if (launch.why = WhyNotCompared(base); !launch.why.empty() && !failed) {
    // Times that are none were meant to vouch for it.
    launch.judgement = base && !NoTimesIn("base", *base).empty() ? Judgement::kNotJudged : Judgement::kNotCompared;
    return launch;
  }
  if (launch.why = WhyNotJudged(one, candidate); !launch.why.empty()) return launch;
  launch.explanation = explain(KernelView(*base), KernelView(*candidate));
  CompareCode(*base, *candidate, launch);
  JudgeTimes(launch, limit);
  return launch;
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

// A launch with a smaller share of a program's GPU work need not be judged. Even if it took twice as long, the program
// would stay below the usual limit.
constexpr double kWorthJudging = 0.01;

double ShareOf(const KernelRecord& kernel) {
  const auto& program = kernel.run.run.program;
  const auto work_us = program ? WorkUs(*program) : std::nullopt;
  if (!work_us || !(*work_us > 0) || !kernel.program || !kernel.program->share_us) return 1;
  return *kernel.program->share_us / *work_us;
}

std::int64_t CallsOf(const KernelRecord& kernel) {
  return kernel.program ? kernel.program->calls : static_cast<std::int64_t>(kernel.samples.size());
}

std::string Times(std::int64_t calls) { return calls == 1 ? "once" : fmt::format("{} times", calls); }

// A program cannot be asked for more samples of a kernel, and has many that do next to nothing: no gate closes for want
// of a verdict on them.
void WeighUnjudged(const KernelRecord& base, const KernelRecord& candidate, CheckedLaunch& launch) {
  if (launch.judgement != Judgement::kInconclusive || !WhyNotTrusted(base, candidate).empty()) return;
  const bool matters = std::max(ShareOf(base), ShareOf(candidate)) >= kWorthJudging;
  const bool seldom = !launch.explanation->verdict.time;
  constexpr const char* kSmall = ", and less than 1 % of either run's work on the GPU";
  if (seldom)
    launch.why = fmt::format("Called {} in the base run and {} in the candidate run, too seldom to compare{}.",
                             Times(CallsOf(base)), Times(CallsOf(candidate)),
                             matters ? ": record at least 5 executions of each with one label" : kSmall);
  if (matters) return;
  launch.judgement = Judgement::kNotCompared;
  if (!seldom) launch.why = fmt::format("Its calls scatter too widely to compare{}.", kSmall);
}

// Of two launches of one kernel that belong together.
std::vector<std::string> WhatDiffers(const KernelRecord& base, const KernelRecord& candidate) {
  std::vector<std::string> differs = GeometryChanges(base, candidate);
  const auto range = [](const KernelRecord& k) {
    return !k.program || k.program->nvtx.empty() ? std::string("none") : "'" + k.program->nvtx + "'";
  };
  if (range(base) != range(candidate))
    differs.push_back(fmt::format("NVTX range {} -> {}", range(base), range(candidate)));
  if (differs.empty()) differs.emplace_back("the order in which it is launched");
  return differs;
}

// Of all calls: the share of the timeline, or without one the time.
std::optional<double> UsOfAllCalls(const KernelRecord& kernel) {
  const std::optional<double> share_us = UsOf(kernel, true);
  return share_us ? share_us : UsOf(kernel, false);
}

std::optional<double> UsOfAllCalls(std::span<const KernelRecord> kernels, const std::vector<std::size_t>& places) {
  double sum_us = 0;
  for (const std::size_t i : places) {
    const std::optional<double> us = UsOfAllCalls(kernels[i]);
    if (!us) return std::nullopt;
    sum_us += *us;
  }
  return sum_us;
}

// ": 16.78 ms in 100 calls.", of a kernel that only one run has.
std::string InAllItsCalls(const KernelRecord& kernel) {
  const std::optional<double> us = UsOfAllCalls(kernel);
  if (!us) return ".";
  return fmt::format(": {} in {}.", Format(*us, Unit::kTimeUs),
                     CallsOf(kernel) == 1 ? "one call" : fmt::format("{} calls", CallsOf(kernel)));
}

// Programs change what they launch: that is told, and `culprit why` says what it costs.
CheckedLaunch JudgeMatched(std::span<const KernelRecord> base, std::span<const KernelRecord> candidate,
                           const MatchedLaunches& match, double limit, const Explainer& explain) {
  const KernelRecord* from = match.base.empty() ? nullptr : &base[match.base.front()];
  const KernelRecord* to = match.candidate.empty() ? nullptr : &candidate[match.candidate.front()];
  if (from != nullptr && to != nullptr && match.base.size() == 1 && match.candidate.size() == 1) {
    CheckedLaunch launch = JudgeLaunch(from, to, limit, explain);
    WeighUnjudged(*from, *to, launch);
    if (from->stage.id != to->stage.id)
      launch.remarks.push_back(fmt::format("It is {} in the candidate run ({}).", to->stage.id, ToText(match.rule)));
    else if (match.rule != MatchRule::kSame)
      launch.remarks.push_back(
          fmt::format("Held against another launch of the candidate run: {}.", Joined(WhatDiffers(*from, *to))));
    return launch;
  }
  CheckedLaunch launch = NewLaunch(from, to, Judgement::kNotCompared);
  const auto base_us = UsOfAllCalls(base, match.base), candidate_us = UsOfAllCalls(candidate, match.candidate);
  if (base_us && candidate_us) launch.added_us = *candidate_us - *base_us;
  if (from == nullptr) {
    launch.candidate_us = KernelView(*to).Get("time_us");
    launch.why = "New in the candidate run" + InAllItsCalls(*to);
  } else if (to == nullptr) {
    launch.base_us = KernelView(*from).Get("time_us");
    launch.why = "Gone from the candidate run" + InAllItsCalls(*from);
  } else {
    launch.why =
        fmt::format("The calls of {} in the base run are {} in the candidate run: 'culprit why' adds them up.",
                    match.base.size() == 1 ? "one launch" : fmt::format("{} launches", match.base.size()),
                    match.candidate.size() == 1 ? "one launch's" : fmt::format("those of {}", match.candidate.size()));
  }
  return launch;
}

CheckedWork JudgeTheWhole(const WorkVerdict& verdict, double limit, std::span<const KernelRecord> base,
                          std::span<const KernelRecord> candidate, std::span<const MatchedLaunches> matches) {
  CheckedWork work = JudgeByLimit(verdict, limit);
  std::map<std::string_view, double> new_us, gone_us;  // by kernel
  for (const MatchedLaunches& match : matches) {
    if (match.base.empty())
      for (const std::size_t i : match.candidate) new_us[candidate[i].stage.id] += UsOf(candidate[i], true).value_or(0);
    if (match.candidate.empty())
      for (const std::size_t i : match.base) gone_us[base[i].stage.id] += UsOf(base[i], true).value_or(0);
  }
  std::vector<std::string> of;
  // "new kernels add 16.78 ms (the largest: softmax_kernel)"
  const auto tell = [&](const char* what, const std::map<std::string_view, double>& by_kernel, double& us) {
    for (const auto& [kernel, of_it] : by_kernel) us += of_it;
    if (!(us > 0)) return;
    const auto most = std::ranges::max_element(by_kernel, {}, [](const auto& one) { return one.second; });
    of.push_back(fmt::format("{} {} ({}{})", what, Format(us, Unit::kTimeUs, LargestUs(verdict)),
                             by_kernel.size() > 1 ? "the largest: " : "", most->first));
  };
  tell("new kernels add", new_us, work.new_us);
  tell(of.empty() ? "kernels that are gone take away" : "gone ones take away", gone_us, work.gone_us);
  if (!of.empty()) work.why += fmt::format(" Of this, {}.", Joined(of));
  return work;
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

CheckedWork JudgeByLimit(const WorkVerdict& verdict, double max_slowdown) {
  CheckedWork work;
  work.verdict = verdict;
  const auto& change = verdict.change;
  if (!change) {
    work.why = verdict.not_measured;
    return work;
  }
  const std::string limit = fmt::format("{:g} %", 100 * max_slowdown);
  const std::string words(JudgedWords(verdict));
  work.why = fmt::format("{}{} {}, with an interval of {}", static_cast<char>(std::toupper(words.front())),
                         words.substr(1), WorkText(verdict), IntervalText(*change));
  work.judgement = JudgementOf(verdict.speed, change->change > max_slowdown, change->high <= max_slowdown);
  if (work.judgement == Judgement::kRegression)
    work.why += fmt::format(", and the estimate of {} is above the limit of {}",
                            Format(100 * change->change, Unit::kPercent), limit);
  // Fewer executions have an interval from the smallest to the largest, which is no interval of confidence.
  if (work.judgement == Judgement::kRegression && verdict.kernels_alone) work.judgement = Judgement::kSuspect;
  if (work.judgement == Judgement::kInconclusive)
    work.why += ": its executions overlap; record more of each side with one label";
  if (Passes(work.judgement) && change->high > max_slowdown) work.not_excluded = change->high;
  work.why += ".";
  if (work.judgement == Judgement::kSuspect)
    work.why += fmt::format(" Fewer than {} executions of a side only make it suspect: {}", kFewestProcesses,
                            HowToConfirm(true));
  // Nobody knows how much copies move by themselves where so few executions say it.
  const double with_copies = verdict.DeltaUs() / verdict.base.Us();
  if (const std::string copies = CopiesText(verdict);
      Passes(work.judgement) && !copies.empty() && with_copies > max_slowdown) {
    work.judgement = Judgement::kInconclusive;
    work.by_copies = true;
    work.not_excluded.reset();
    work.why += fmt::format(
        " With copies it is {} ({}), above the limit of {}: fewer than 5 executions do not show how much copies move "
        "by "
        "themselves, so record at least 5 of each side with one label.",
        ChangeText(with_copies), copies, limit);
  }
  return work;
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
