// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/compare_report.h"

#include <fmt/core.h>

#include <algorithm>

#include "analysis/kernel/compare.h"
#include "analysis/kernel/recording.h"
#include "analysis/kernel/roofline.h"
#include "analysis/render/format.h"
#include "analysis/render/tabulate.h"
#include "analysis/report/run_header.h"
#include "analysis/report/static_report.h"
#include "analysis/verdict/verdict.h"

namespace culprit {
namespace {

Number Change(const Measured& base, const Measured& candidate) {
  return {Measured(100) * (candidate - base) / base, Unit::kChangePercent};
}

Section TimeSection(const KernelView& base, const KernelView& candidate) {
  Section section{"time", "Time and code"};
  ReportTable table{
      "quantities", "", {{"quantity", ""}, {"base", "Base"}, {"candidate", "Candidate"}, {"change_pct", "Change"}}};
  const auto add = [&](std::string name, const Measured& b, const Measured& c, Unit unit) {
    table.rows.push_back({std::move(name), Number{b, unit}, Number{c, unit}, Change(b, c)});
  };
  const auto time = [](const KernelView& k, auto field) {
    return k.time().time_us ? Measured((*k.time().time_us).*field) : Measured();
  };
  add("median_us", time(base, &Distribution::median), time(candidate, &Distribution::median), Unit::kTimeUs);
  add("min_us", time(base, &Distribution::min), time(candidate, &Distribution::min), Unit::kTimeUs);
  add("q1_us", time(base, &Distribution::q1), time(candidate, &Distribution::q1), Unit::kTimeUs);
  add("q3_us", time(base, &Distribution::q3), time(candidate, &Distribution::q3), Unit::kTimeUs);
  add("samples_kept", base.time().kept, candidate.time().kept, Unit::kCount);
  add("samples_left_out", base.time().left_out, candidate.time().left_out, Unit::kCount);
  const Roofline b = MakeRoofline(base), c = MakeRoofline(candidate);
  add("gflops", b.achieved_gflops, c.achieved_gflops, Unit::kGflops);
  add("clock_mhz", b.clock_mhz, c.clock_mhz, Unit::kMhz);
  for (const char* name : {"registers", "stack_frame_bytes", "static_shared_bytes", "code_bytes"})
    add(name, base.Get(name), candidate.Get(name), UnitOfAttribute(name));
  section.tables.push_back(std::move(table));
  return section;
}

Section StallSection(const Comparison& comparison) {
  Section section{"stalls", "Where the time went"};
  if (comparison.stalls.empty()) {
    section.notes.push_back("No stall reason was measured on either side.");
    return section;
  }
  ReportTable table = Tabulate<StallDelta>(
      "parts", "", comparison.stalls,
      {{"reason", "Warp state", &StallDelta::reason},
       {"base_us", "Base", Unit::kTimeUs, &StallDelta::base_us},
       {"candidate_us", "Candidate", Unit::kTimeUs, &StallDelta::candidate_us},
       {"delta_us", "Difference", Unit::kTimeDeltaUs, [](const StallDelta& d) { return d.candidate_us - d.base_us; }}});
  table.rows.push_back({"total", Number{comparison.base_us, Unit::kTimeUs},
                        Number{comparison.candidate_us, Unit::kTimeUs},
                        Number{comparison.candidate_us - comparison.base_us, Unit::kTimeDeltaUs}});
  section.tables.push_back(std::move(table));
  return section;
}

Section MetricSection(const Comparison& comparison, bool all) {
  Section section{"metrics", "Metrics: largest change first"};
  const auto base = [](const MetricDelta& d) { return Number{d.base, UnitFromCatalogue(d.unit)}; };
  const auto candidate = [](const MetricDelta& d) { return Number{d.candidate, UnitFromCatalogue(d.unit)}; };
  ReportTable table =
      Tabulate<MetricDelta>("deltas", "", comparison.metrics,
                            {{"metric", "Metric", &MetricDelta::id},
                             {"base", "Base", base},
                             {"candidate", "Candidate", candidate},
                             {"change_pct", "Change", [](const auto& d) { return Change(d.base, d.candidate); }},
                             {"kind", "", [](const auto& d) { return ToText(d.kind); }},
                             {"unit", "Unit", &MetricDelta::unit}});
  if (!table.rows.empty())
    table.notes.push_back(
        "New and gone ones come first, by size; then by the difference over the largest value that any metric of the "
        "same unit has on either side, so that a large ratio of a small count does not lead.");
  if (table.rows.empty()) section.notes.push_back("No metric was measured on both sides.");
  const std::size_t same = static_cast<std::size_t>(std::count_if(comparison.metrics.begin(), comparison.metrics.end(),
                                                                  [](const auto& d) { return IsUnchanged(d); }));
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
  if (comparison.not_comparable.empty()) {
    section.notes.push_back("Nothing: every metric was measured on both sides.");
    return section;
  }
  ReportTable table = Tabulate<NotComparable>("metrics", "", comparison.not_comparable,
                                              {{"metric", "Metric", &NotComparable::id},
                                               {"base", "Base", Unit::kCount, &NotComparable::base},
                                               {"candidate", "Candidate", Unit::kCount, &NotComparable::candidate}});
  section.tables.push_back(std::move(table));
  return section;
}

constexpr std::size_t kAnswers = 3;

// Whether there is a difference, and what moved most: where the time went, else the metrics.
Section Answer(const KernelView& base, const KernelView& candidate, const Comparison& comparison) {
  Section answer;
  answer.one_line = true;
  if (base.Get("time_us") && candidate.Get("time_us")) {
    const auto& device = base.record().run.run.device;
    const double shorter_us = std::min(*base.Get("time_us"), *candidate.Get("time_us"));
    const Verdict verdict = VerdictOn(base.record().samples, candidate.record().samples,
                                      NoiseFloorOf(device ? device->name : "", shorter_us),
                                      HowRecorded(base.record().run, candidate.record().run));
    const Measured base_us = base.Get("time_us"), candidate_us = candidate.Get("time_us");
    answer.facts = {
        {"", "Time",
         fmt::format("{} -> {}, {} ({})", Format(*base_us, Unit::kTimeUs), Format(*candidate_us, Unit::kTimeUs),
                     Format(*candidate_us - *base_us, Unit::kTimeDeltaUs), Format(Change(base_us, candidate_us)))},
        {"", "Verdict", fmt::format("{}: {}", ToText(verdict.speed), verdict.reason)}};
  }
  answer.item_titles = {"Warp state", "Difference", "Base -> candidate"};
  for (const StallDelta& d : comparison.stalls)
    if (d.base_us && d.candidate_us && answer.items.size() < kAnswers)
      answer.items.push_back(
          {d.reason,
           {d.candidate_us - d.base_us, Unit::kTimeDeltaUs},
           "",
           {},
           fmt::format("{} -> {}", Format(*d.base_us, Unit::kTimeUs), Format(*d.candidate_us, Unit::kTimeUs))});
  if (!answer.items.empty()) return answer;
  answer.item_titles = {"Metric", "Change", "Base -> candidate"};
  for (const MetricDelta& d : comparison.metrics)
    if (!IsUnchanged(d) && answer.items.size() < kAnswers) {
      const Unit unit = UnitFromCatalogue(d.unit);
      answer.items.push_back({d.id,
                              Change(d.base, d.candidate),
                              "",
                              {},
                              fmt::format("{} -> {}", Format(d.base, unit), Format(d.candidate, unit))});
    }
  return answer;
}

std::string Name(const KernelRecord& k) {
  return fmt::format("{} at {}, run {}{}", k.stage.id, k.launch.shape, ShortUuid(k.run.run),
                     k.launch.state == LaunchState::kOk
                         ? ""
                         : " (" + std::string(ToText(k.launch.state)) + ": " + k.launch.message + ")");
}

}  // namespace

Report MakeCompareReport(const KernelRecord& base, const KernelRecord& candidate, bool all) {
  const KernelView b(base), c(candidate);
  const Comparison comparison = Compare(b, c);
  Report report;
  report.kind = "compare";
  report.title = candidate.stage.id + " compared with " + base.stage.id;
  AddRunHeader(base.run, WarningsBeside(base, candidate), report);
  report.context.push_back({"base", "Base", Name(base)});
  report.context.push_back({"candidate", "Candidate", Name(candidate)});
  const std::vector<Fact> pair = {{"base", "", base.stage.id},
                                  {"candidate", "", candidate.stage.id},
                                  {"base_shape", "", base.launch.shape},
                                  {"candidate_shape", "", candidate.launch.shape},
                                  {"base_run_uuid", "", base.run.run.uuid},
                                  {"candidate_run_uuid", "", candidate.run.run.uuid}};
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
