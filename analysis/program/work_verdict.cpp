// SPDX-License-Identifier: Apache-2.0
#include "analysis/program/work_verdict.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/machine/machine.h"
#include "analysis/program/work.h"
#include "analysis/render/format.h"
#include "analysis/verdict/interval.h"

namespace culprit {
namespace {

auto SortedBy(const RunSummary* run) { return std::pair(WorkUs(*run->run.program), *run->run.program->span_us); }

double NoiseOf(const RunSummary& run, double us) {
  const NoiseFloor floor = NoiseFloorOf(run.run.device ? run.run.device->name : "", us, run.run.machine);
  return std::hypot(floor.change, floor.clock_change);
}

// What executions alone leave open.
Shift ChangeOf(const std::vector<double>& base, const std::vector<double>& candidate, double change) {
  Shift shift{change, change, change};
  if (base.empty() || candidate.empty() || !(base.front() > 0)) return shift;
  if (const auto interval = EstimateShift(base, candidate, kVerdictConfidence))
    shift = *interval;
  else
    shift = {change, candidate.front() / base.back() - 1, candidate.back() / base.front() - 1};
  // The executions that are explained need not be in the middle: their change is what all numbers add up to.
  return {change, std::min(shift.low, change), std::max(shift.high, change)};
}

std::string Us(double us) { return Format(std::abs(us), Unit::kTimeUs); }

}  // namespace

ProgramSide MakeSide(std::span<const RunSummary> runs) {
  std::vector<const RunSummary*> timed;
  for (const RunSummary& run : runs)
    if (run.state == "complete" && run.run.program->span_us) timed.push_back(&run);
  if (timed.empty()) return {runs.front(), 1, {}, {}, {}, {}};
  std::vector<double> spans, work;
  for (const RunSummary* run : timed) {
    spans.push_back(*run->run.program->span_us);
    if (const auto us = WorkUs(*run->run.program)) work.push_back(*us);
  }
  if (work.size() < timed.size()) work.clear();
  std::ranges::sort(spans);
  std::ranges::sort(work);
  std::ranges::stable_sort(timed, {}, SortedBy);
  std::vector<const RunSummary*> counted = timed;
  std::erase_if(counted, [](const RunSummary* run) { return run->run.profile == "none"; });
  const auto median = [](const auto& all) { return all[(all.size() - 1) / 2]; };
  return {*median(counted.empty() ? timed : counted),
          static_cast<int>(timed.size()),
          spans.front(),
          median(spans),
          spans.back(),
          std::move(work)};
}

WorkVerdict JudgeWork(const ProgramSide& base, double base_us, const ProgramSide& candidate, double candidate_us) {
  WorkVerdict verdict;
  verdict.base_us = base_us;
  verdict.candidate_us = candidate_us;
  verdict.noise = std::max(NoiseOf(base.run, base_us), NoiseOf(candidate.run, candidate_us));
  verdict.base_span_us = base.run.run.program->span_us;
  verdict.candidate_span_us = candidate.run.run.program->span_us;
  verdict.base_runs = std::max(1, static_cast<int>(base.work_us.size()));
  verdict.candidate_runs = std::max(1, static_cast<int>(candidate.work_us.size()));
  if (!(base_us > 0) || !(candidate_us > 0)) return verdict;
  const double change = candidate_us / base_us - 1;
  verdict.change = Widened(ChangeOf(base.work_us, candidate.work_us, change), verdict.noise);
  if (verdict.change->low > 0)
    verdict.speed = Speed::kSlower;
  else if (verdict.change->high < 0)
    verdict.speed = Speed::kFaster;
  else
    verdict.speed = std::abs(std::log1p(change)) <= std::log1p(verdict.noise) ? Speed::kSame : Speed::kAmbiguous;
  return verdict;
}

std::optional<WorkVerdict> JudgeWork(const ProgramSide& base, const ProgramSide& candidate) {
  const auto from = WorkUs(*base.run.run.program), to = WorkUs(*candidate.run.run.program);
  if (!from || !to || base.run.state != "complete" || candidate.run.state != "complete") return std::nullopt;
  return JudgeWork(base, *from, candidate, *to);
}

std::string WorkText(const WorkVerdict& verdict) {
  const double us = verdict.DeltaUs(), change = verdict.base_us > 0 ? us / verdict.base_us : 0;
  if (IsDifference(verdict.speed))
    return fmt::format("take {} ({}) {}", Us(us), Format(100 * std::abs(change), Unit::kPercent),
                       us > 0 ? "longer" : "less");
  return fmt::format("{}: {} ({})",
                     verdict.speed == Speed::kSame ? "take about as long as before" : "may or may not take longer",
                     Format(us, Unit::kTimeDeltaUs), Format(100 * change, Unit::kChangePercent));
}

std::string SpanText(const WorkVerdict& verdict) {
  if (!verdict.base_span_us || !verdict.candidate_span_us || !(*verdict.base_span_us > 0)) return {};
  const double us = *verdict.candidate_span_us - *verdict.base_span_us, idle = us - verdict.DeltaUs();
  return fmt::format("the span on the GPU is {} ({}) {} (idle time {} by {})", Us(us),
                     Format(100 * std::abs(us) / *verdict.base_span_us, Unit::kPercent), us > 0 ? "longer" : "shorter",
                     idle > 0 ? "rose" : "fell", Us(idle));
}

}  // namespace culprit
