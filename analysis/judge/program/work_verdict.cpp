// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/program/work_verdict.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/judge/difference/shift.h"
#include "analysis/launch/machine.h"
#include "analysis/number/format.h"

namespace culprit {
namespace {

// A span and its parts are sums of the same times.
constexpr double kRounding = 1e-6;

auto SortedBy(const RunSummary* run) { return std::pair(WorkUs(*run->run.program), *run->run.program->span_us); }

double CopiesUs(const ProgramRecord& program) {
  double us = 0;
  for (const ProgramCopy& copy : program.copies) us += copy.share_us;
  return us;
}

// The interval from the smallest value of one side to the largest of the other. With one execution per side, only
// `change`.
Shift FromLeastToMost(const std::vector<double>& base, const std::vector<double>& candidate, double change) {
  const bool several = !base.empty() && !candidate.empty() && base.size() + candidate.size() > 2;
  if (!several || !(base.front() > 0)) return {change, change, change};
  return {change, candidate.front() / base.back() - 1, candidate.back() / base.front() - 1};
}

// Widens the interval to contain `change`. All numbers add up to the change of the explained executions, which need not
// be in the middle.
Shift Holding(double change, const Shift& shift) {
  return {change, std::min(shift.low, change), std::max(shift.high, change)};
}

struct SpanChange {
  double us, idle_us;
};
std::optional<SpanChange> ChangeOfSpan(const WorkVerdict& verdict) {
  if (!verdict.base_span_us || !verdict.candidate_span_us || !(*verdict.base_span_us > 0)) return std::nullopt;
  const double us = *verdict.candidate_span_us - *verdict.base_span_us;
  return SpanChange{us, us - verdict.DeltaUs()};
}

std::string Us(const WorkVerdict& verdict, double us) {
  return Format(std::abs(us), Unit::kTimeUs, LargestUs(verdict));
}
std::string DeltaUs(const WorkVerdict& verdict, double us) {
  return Format(us, Unit::kTimeDeltaUs, LargestUs(verdict));
}

}  // namespace

double Work::CopiesUs() const {
  double us = 0;
  for (const auto& [kind, of_kind] : copies_us) us += of_kind;
  return us;
}

bool HasTimeline(const RunSummary& run, std::span<const KernelRecord> launches) {
  const auto& program = run.run.program;
  return program && program->span_us && program->idle_us &&
         std::ranges::all_of(launches, [](const KernelRecord& k) { return k.program && k.program->share_us; });
}

std::optional<double> UsOf(const KernelRecord& launch, bool of_timeline) {
  if (!launch.program) return std::nullopt;
  return of_timeline ? launch.program->share_us : launch.program->time_us;
}

std::optional<Work> WorkOf(const RunSummary& run, std::span<const KernelRecord> launches, bool of_timeline) {
  Work work;
  for (const KernelRecord& launch : launches) {
    const std::optional<double> us = UsOf(launch, of_timeline);
    if (!us) return std::nullopt;
    work.kernels_us += *us;
  }
  if (run.run.program)
    for (const ProgramCopy& copy : run.run.program->copies)
      work.copies_us[copy.kind] += of_timeline ? copy.share_us : copy.time_us;
  return work;
}

ProgramSide MakeSide(std::span<const RunSummary> runs) {
  std::vector<const RunSummary*> timed;
  for (const RunSummary& run : runs)
    if (run.state == "complete" && run.run.program->span_us) timed.push_back(&run);
  if (timed.empty()) return {runs.front(), 1, {}, {}, {}, {}, {}};
  std::vector<double> spans, work, kernels;
  for (const RunSummary* run : timed) {
    spans.push_back(*run->run.program->span_us);
    const auto us = WorkUs(*run->run.program);
    if (!us) continue;
    work.push_back(*us);
    kernels.push_back(*us - CopiesUs(*run->run.program));
  }
  if (work.size() < timed.size()) work.clear(), kernels.clear();
  std::ranges::sort(spans);
  std::ranges::sort(work);
  std::ranges::sort(kernels);
  std::ranges::stable_sort(timed, {}, SortedBy);
  std::vector<const RunSummary*> counted = timed;
  std::erase_if(counted, [](const RunSummary* run) { return run->run.profile == "none"; });
  const auto median = [](const auto& all) { return all[(all.size() - 1) / 2]; };
  return {*median(counted.empty() ? timed : counted),
          static_cast<int>(timed.size()),
          spans.front(),
          median(spans),
          spans.back(),
          std::move(work),
          std::move(kernels)};
}

WorkVerdict JudgeWork(const ProgramSide& base, std::span<const KernelRecord> base_launches,
                      const ProgramSide& candidate, std::span<const KernelRecord> candidate_launches) {
  WorkVerdict verdict;
  verdict.base_span_us = base.run.run.program->span_us;
  verdict.candidate_span_us = candidate.run.run.program->span_us;
  verdict.base_runs = std::max(1, static_cast<int>(base.work_us.size()));
  verdict.candidate_runs = std::max(1, static_cast<int>(candidate.work_us.size()));
  const bool of_timeline = HasTimeline(base.run, base_launches) && HasTimeline(candidate.run, candidate_launches);
  const auto from = WorkOf(base.run, base_launches, of_timeline);
  const auto to = WorkOf(candidate.run, candidate_launches, of_timeline);
  if (!from || !to) {
    verdict.not_measured =
        fmt::format("A kernel of the {} run has no time of all its calls.", from ? "candidate" : "base");
    return verdict;
  }
  verdict.base = *from;
  verdict.candidate = *to;
  const auto enough = EstimateShift(base.work_us, candidate.work_us, kVerdictConfidence);
  verdict.kernels_alone = !enough;
  const double base_us = verdict.JudgedBaseUs(), candidate_us = verdict.JudgedCandidateUs();
  verdict.noise =
      std::max(NoiseFloorOf(base.run.run, base_us).OfTime(), NoiseFloorOf(candidate.run.run, candidate_us).OfTime());
  if (!(base_us > 0) || !(candidate_us > 0)) {
    verdict.not_measured =
        fmt::format("One of the runs has no {} on a GPU.", verdict.kernels_alone ? "kernel" : "work");
    return verdict;
  }
  const double change = candidate_us / base_us - 1;
  const Shift shift = enough ? *enough : FromLeastToMost(base.kernels_us, candidate.kernels_us, change);
  verdict.change = Widened(Holding(change, shift), verdict.noise);
  verdict.speed = SpeedIn(*verdict.change, verdict.noise);
  return verdict;
}

double LargestUs(const WorkVerdict& verdict) {
  double largest = std::max(std::abs(verdict.JudgedDeltaUs()), std::abs(verdict.CopiesDeltaUs()));
  if (const auto span = ChangeOfSpan(verdict))
    largest = std::max({largest, std::abs(span->us), std::abs(span->idle_us)});
  return largest;
}

std::string_view JudgedWords(const WorkVerdict& verdict) {
  return verdict.kernels_alone ? "kernels" : "kernels and copies";
}

std::string WorkText(const WorkVerdict& verdict) {
  const double us = verdict.JudgedDeltaUs(), base_us = verdict.JudgedBaseUs(), change = base_us > 0 ? us / base_us : 0;
  if (IsDifference(verdict.speed))
    return fmt::format("take {} ({}) {}", Us(verdict, us), Format(100 * std::abs(change), Unit::kPercent),
                       us > 0 ? "longer" : "less");
  return fmt::format("{}: {} ({})",
                     verdict.speed == Speed::kSame ? "take about as long as before" : "may or may not take longer",
                     DeltaUs(verdict, us), Format(100 * change, Unit::kChangePercent));
}

std::string CopiesText(const WorkVerdict& verdict) {
  const double all_us = verdict.CopiesDeltaUs();
  if (!verdict.kernels_alone || std::abs(all_us) <= verdict.noise * verdict.base.Us()) return {};
  const auto us_of = [](const Work& work, CopyKind kind) {
    const auto found = work.copies_us.find(kind);
    return found == work.copies_us.end() ? 0 : found->second;
  };
  const char* words = nullptr;
  double most_us = 0;
  for (const auto& [kind, name] : kCopyWords)
    if (const double us = us_of(verdict.candidate, kind) - us_of(verdict.base, kind);
        us * all_us > 0 && std::abs(us) > std::abs(most_us)) {
      words = name;
      most_us = us;
    }
  return words == nullptr ? "" : fmt::format("{} {}", words, DeltaUs(verdict, most_us));
}

std::string SpanText(const WorkVerdict& verdict) {
  const auto span = ChangeOfSpan(verdict);
  if (!span) return {};
  const bool as_idle = std::abs(span->idle_us) <= kRounding * *verdict.base_span_us;
  const std::string idle =
      as_idle ? "is as before"
              : fmt::format("{} by {}", span->idle_us > 0 ? "rose" : "fell", Us(verdict, span->idle_us));
  return fmt::format("the span on the GPU is {} ({}) {} (idle time {})", Us(verdict, span->us),
                     Format(100 * std::abs(span->us) / *verdict.base_span_us, Unit::kPercent),
                     span->us > 0 ? "longer" : "shorter", idle);
}

}  // namespace culprit
