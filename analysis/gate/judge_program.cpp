// SPDX-License-Identifier: Apache-2.0
#include "analysis/gate/judge_program.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <string_view>

#include "analysis/gate/change_text.h"
#include "analysis/gate/evidence.h"
#include "analysis/gate/family.h"
#include "analysis/gate/judge_launch.h"
#include "analysis/judge/program/program_why.h"
#include "analysis/number/format.h"
#include "analysis/number/joined.h"
#include "analysis/number/plural.h"

namespace culprit {
namespace {

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
  return fmt::format(": {} in {}.", Format(*us, Unit::kTimeUs), Plural(CallsOf(kernel), "call"));
}

}  // namespace

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
        "by themselves, so record at least 5 of each side with one label.",
        ChangeText(with_copies), copies, limit);
  }
  return work;
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

}  // namespace culprit
