// SPDX-License-Identifier: Apache-2.0
#include "analysis/show/report/compare_report.h"

#include <fmt/core.h>

#include <algorithm>

#include "analysis/judge/difference/verdict.h"
#include "analysis/launch/compare.h"
#include "analysis/launch/recording.h"
#include "analysis/launch/roofline.h"
#include "analysis/number/format.h"
#include "analysis/show/render/tabulate.h"
#include "analysis/show/report/run_header.h"
#include "analysis/show/report/static_report.h"
#include "analysis/show/report/why_header.h"

namespace culprit {
namespace {

using enum Unit;

Number Change(const Measured& base, const Measured& candidate) {
  return {Measured(100) * (candidate - base) / base, kChangePercent};
}

Section TimeSection(const KernelView& base, const KernelView& candidate) {
  ReportTable table{
      "quantities", "", {{"quantity", ""}, {"base", "Base"}, {"candidate", "Candidate"}, {"change_pct", "Change"}}};
  const auto add = [&](std::string name, Unit unit, auto of) {
    const Measured b = of(base), c = of(candidate);
    table.rows.push_back({std::move(name), {b, unit}, {c, unit}, Change(b, c)});
  };
  const auto time = [](auto field) {
    return
        [field](const KernelView& k) { return k.time().time_us ? Measured((*k.time().time_us).*field) : Measured(); };
  };
  add("median_us", kTimeUs, time(&Distribution::median));
  add("min_us", kTimeUs, time(&Distribution::min));
  add("q1_us", kTimeUs, time(&Distribution::q1));
  add("q3_us", kTimeUs, time(&Distribution::q3));
  add("samples_kept", kCount, [](const KernelView& k) { return k.time().kept; });
  add("samples_left_out", kCount, [](const KernelView& k) { return k.time().left_out; });
  add("gflops", kGflops, [](const KernelView& k) { return MakeRoofline(k).achieved_gflops; });
  add("clock_mhz", kMhz, [](const KernelView& k) {
    const Roofline roof = MakeRoofline(k);
    return roof.clock_measured ? roof.clock_mhz : Measured();
  });
  for (const char* name : {"registers", "stack_frame_bytes", "static_shared_bytes", "code_bytes"})
    add(name, UnitOfAttribute(name), [name](const KernelView& k) { return k.Get(name); });
  return {.key = "time", .title = "Time and code", .tables = {std::move(table)}};
}

Section StallSection(const Comparison& comparison) {
  Section section{"stalls", "Where the time went"};
  if (comparison.stalls.empty()) {
    section.notes.push_back("No stall reason was measured on either side.");
    return section;
  }
  std::vector<StallDelta> states = comparison.stalls;
  states.push_back({"total", comparison.base_us, comparison.candidate_us});
  section.tables = {Tabulate<StallDelta>(
      "parts", "", states,
      {{"reason", "Warp state", &StallDelta::reason},
       {"base_us", "Base", kTimeUs, &StallDelta::base_us},
       {"candidate_us", "Candidate", kTimeUs, &StallDelta::candidate_us},
       {"delta_us", "Difference", kTimeDeltaUs, [](const StallDelta& d) { return d.candidate_us - d.base_us; }}})};
  return section;
}

Section MetricSection(const Comparison& comparison, bool all) {
  Section section{"metrics", "Metrics: largest change first"};
  ReportTable table =
      Tabulate<MetricDelta>("deltas", "", comparison.metrics,
                            {{"metric", "Metric", &MetricDelta::id},
                             {"base", "Base",
                              [](const auto& d) {
                                return Number{d.base, UnitFromCatalogue(d.unit)};
                              }},
                             {"candidate", "Candidate",
                              [](const auto& d) {
                                return Number{d.candidate, UnitFromCatalogue(d.unit)};
                              }},
                             {"change_pct", "Change", [](const auto& d) { return Change(d.base, d.candidate); }},
                             {"kind", "", [](const auto& d) { return ToText(d.kind); }},
                             {"unit", "Unit", &MetricDelta::unit}});
  if (table.rows.empty())
    section.notes.push_back("No metric was measured on both sides.");
  else
    table.notes.push_back(
        "New and gone ones come first, by size; then by the difference over the largest value that any metric of the "
        "same unit has on either side, so that a large ratio of a small count does not lead.");
  const auto same = static_cast<std::size_t>(std::ranges::count_if(comparison.metrics, IsUnchanged));
  if (!all && same > 0) {
    table.shown = table.rows.size() - same;
    table.notes.push_back(fmt::format("{} {} unchanged (by less than {}); --all lists {}.", same,
                                      same == 1 ? "metric is" : "metrics are", kUnchangedText,
                                      same == 1 ? "it" : "them"));
  }
  section.tables.push_back(std::move(table));
  return section;
}

Section MissingSection(const Comparison& comparison) {
  Section section{"not_comparable", "Not comparable"};
  if (comparison.not_comparable.empty())
    section.notes.push_back("Nothing: every metric was measured on both sides.");
  else
    section.tables.push_back(Tabulate<NotComparable>("metrics", "", comparison.not_comparable,
                                                     {{"metric", "Metric", &NotComparable::id},
                                                      {"base", "Base", kCount, &NotComparable::base},
                                                      {"candidate", "Candidate", kCount, &NotComparable::candidate}}));
  return section;
}

constexpr std::size_t kAnswers = 3;

std::string Arrow(const Measured& base, const Measured& candidate, Unit unit) {
  return fmt::format("{} -> {}", Format(Number{base, unit}), Format(Number{candidate, unit}));
}

// Whether there is a difference, and what moved most: where the time went, else the metrics.
Section Answer(const KernelView& base, const KernelView& candidate, const Comparison& comparison) {
  Section answer{.one_line = true, .item_titles = {"Warp state", "Difference", "Base -> candidate"}};
  const Measured base_us = base.Get("time_us"), candidate_us = candidate.Get("time_us");
  if (base_us && candidate_us) {
    const Verdict verdict = VerdictOnPair(base, candidate);
    answer.facts = {
        {"", "Time",
         fmt::format("{}, {} ({})", Arrow(base_us, candidate_us, kTimeUs),
                     Format(*candidate_us - *base_us, kTimeDeltaUs), Format(Change(base_us, candidate_us)))},
        {"", "Verdict", fmt::format("{}: {}", ToText(verdict.speed), verdict.reason)}};
  }
  for (const StallDelta& d : comparison.stalls)
    if (d.base_us && d.candidate_us && answer.items.size() < kAnswers)
      answer.items.push_back({.key = d.reason,
                              .weight = {d.candidate_us - d.base_us, kTimeDeltaUs},
                              .brief = Arrow(d.base_us, d.candidate_us, kTimeUs)});
  if (!answer.items.empty()) return answer;
  answer.item_titles = {"Metric", "Change", "Base -> candidate"};
  for (const MetricDelta& d : comparison.metrics)
    if (!IsUnchanged(d) && answer.items.size() < kAnswers)
      answer.items.push_back({.key = d.id,
                              .weight = Change(d.base, d.candidate),
                              .brief = Arrow(d.base, d.candidate, UnitFromCatalogue(d.unit))});
  return answer;
}

std::string Name(const KernelRecord& k) {
  const LaunchRecord& launch = k.launch;
  const bool ok = launch.state == LaunchState::kOk;
  return fmt::format("{} at {}, run {}{}", k.stage.id, launch.shape, ShortUuid(k.run.run),
                     ok ? "" : fmt::format(" ({}: {})", ToText(launch.state), launch.message));
}

}  // namespace

Report MakeCompareReport(const KernelRecord& base, const KernelRecord& candidate, bool all) {
  const KernelView b(base), c(candidate);
  const Comparison comparison = Compare(b, c);
  const bool same_stage = candidate.stage.id == base.stage.id && candidate.run.id != base.run.id;
  const auto title = [&](const KernelRecord& k) {
    return same_stage ? fmt::format("{} in run {}", k.stage.id, ShortUuid(k.run.run)) : k.stage.id;
  };
  Report report{.kind = "compare", .title = title(candidate) + " compared with " + title(base)};
  AddRunHeader(base.run, WarningsBeside(base, candidate), report);
  report.context.push_back({"base", "Base", Name(base)});
  report.context.push_back({"candidate", "Candidate", Name(candidate)});
  const std::vector<Fact> pair = PairIdentity(base, candidate);
  report.identity.insert(report.identity.end(), pair.begin(), pair.end());
  AddWarnings(WarningsBeside(candidate, base), report);
  report.warnings.insert(report.warnings.end(), comparison.caveats.begin(), comparison.caveats.end());
  report.answer = Answer(b, c, comparison);
  report.sections = {TimeSection(b, c), StallSection(comparison), MetricSection(comparison, all),
                     MissingSection(comparison)};
  for (Section& section : report.sections) section.detail = true;
  report.notes.push_back("This says what moved, not why it moved.");
  return report;
}

}  // namespace culprit
