// SPDX-License-Identifier: Apache-2.0
#include "analysis/gate/judge_launch.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/gate/change_text.h"
#include "analysis/judge/program/program_why.h"
#include "analysis/number/format.h"

namespace culprit {
namespace {

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

}  // namespace

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

// If some times of a run are no positive numbers, its other times are not trusted either.
std::string WhyNotTrusted(const KernelRecord& base, const KernelRecord& candidate) {
  const std::string why = NoTimesIn("base", base);
  return why.empty() ? NoTimesIn("candidate", candidate) : why;
}

}  // namespace culprit
