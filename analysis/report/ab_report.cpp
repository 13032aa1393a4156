// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/ab_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "analysis/number/statistics.h"
#include "analysis/program/command.h"
#include "analysis/program/work.h"
#include "analysis/render/format.h"
#include "analysis/render/tabulate.h"
#include "analysis/report/program_tables.h"
#include "analysis/report/program_why_report.h"
#include "analysis/report/run_header.h"

namespace culprit {
namespace {

using enum Unit;

std::string Percent(double share) { return Format(100 * share, kChangePercent); }

// "+5.1 % (+4.0 % .. +6.2 %)"
std::string ChangeText(const AbQuantity& q) {
  if (!q.change) return "too few processes for an interval";
  return fmt::format("{} ({} .. {})", Percent(q.change->change), Percent(q.change->low), Percent(q.change->high));
}

std::string NameOf(const AbOutcome& o, const AbQuantity& q) {
  return q.IsProgram() ? ProgramName(o.candidate.front().run) + " as a whole" : q.stage + " at " + q.shape;
}

// What the test as a whole found: the first quantity that is slower, else that is open, else the program.
const AbQuantity& Leading(const AbOutcome& o) {
  const auto& all = o.test.quantities();
  for (const AbVerdict verdict : {AbVerdict::kSlower, AbVerdict::kOpen})
    if (const auto found = std::ranges::find(all, verdict, &AbQuantity::verdict); found != all.end()) return *found;
  return all.front();
}

Banner BannerOf(AbVerdict verdict) {
  switch (verdict) {
    case AbVerdict::kSlower:
      return {Tone::kBad, "Slower"};
    case AbVerdict::kWithinLimit:
      return {Tone::kGood, "Slower within the limit"};
    case AbVerdict::kSame:
      return {Tone::kGood, "Not slower"};
    case AbVerdict::kFaster:
      return {Tone::kGood, "Faster"};
    case AbVerdict::kOpen:
      return {Tone::kOpen, "Open"};
  }
  return {};
}

std::string Headline(const AbOutcome& o) {
  const std::string limit = fmt::format("{:g} %", 100 * o.test.limit());
  const std::string after = fmt::format(", after {} and {} processes", o.base.size(), o.candidate.size());
  const AbQuantity& leading = Leading(o);
  const std::string word = BannerOf(leading.verdict).text;
  if (leading.verdict == AbVerdict::kSlower)
    return fmt::format("{}: {} by {}, more than {}{}", word, NameOf(o, leading), ChangeText(leading), limit, after);
  if (leading.verdict == AbVerdict::kOpen)
    return fmt::format("{}: {}: {}: a slow-down of more than {} is neither shown nor excluded{}", word,
                       NameOf(o, leading), ChangeText(leading), limit, after);
  return fmt::format("{}: {} by {}, where {} is accepted{}", word, NameOf(o, leading), ChangeText(leading), limit,
                     after);
}

Measured Median(const std::vector<double>& values) {
  const auto all = Describe(values);
  return all ? Measured(all->median) : Measured();
}

// From the smallest to the largest execution of a side.
Measured Scatter(const std::vector<double>& values) {
  const auto all = Describe(values);
  return all ? Measured(100 * (all->max / all->min - 1)) : Measured();
}

using Side = double Shift::*;

Measured Bound(const AbQuantity& q, Side side) { return q.change ? Measured(100 * (*q.change).*side) : Measured(); }

std::string Interval(const AbQuantity& q) {
  return q.change ? fmt::format("{} .. {}", Percent(q.change->low), Percent(q.change->high)) : "-";
}

struct ExecutionRow {
  const char* side;
  const RunSummary* run;
};

Section Numbers(const AbOutcome& o) {
  const CheckStatus status = o.test.Status();
  Section section{.key = "ab",
                  .facts = {{"outcome", "", ToText(status)},
                            {"exit_status", "", Cell(static_cast<int>(status), kInteger)},
                            {"clear", "", Cell(std::string(o.test.IsClear() ? "yes" : "no"))},
                            {"max_slowdown_pct", "", {100 * o.test.limit(), kPercent}},
                            {"false_alarms_pct", "", {100 * kAbFalseAlarms, kPercent}},
                            {"looks", "", Cell(o.test.looks(), kInteger)},
                            {"seconds", "", Cell(o.seconds, kCount)}}};
  section.tables.push_back(ForPrograms(Tabulate<AbQuantity>(
      "quantities", "", o.test.quantities(),
      {{"stage", "", [](const AbQuantity& q) { return q.stage; }},
       {"shape", "", [](const AbQuantity& q) { return q.shape; }},
       {"name", "", [&](const AbQuantity& q) { return NameOf(o, q); }},
       {"work_pct", "", kPercent, [](const AbQuantity& q) { return 100 * q.share; }},
       {"base_us", "", kTimeUs, [](const AbQuantity& q) { return Median(q.base_us); }},
       {"candidate_us", "", kTimeUs, [](const AbQuantity& q) { return Median(q.candidate_us); }},
       {"change_pct", "", kChangePercent, [](const AbQuantity& q) { return Bound(q, &Shift::change); }},
       {"change_low_pct", "", kChangePercent, [](const AbQuantity& q) { return Bound(q, &Shift::low); }},
       {"change_high_pct", "", kChangePercent, [](const AbQuantity& q) { return Bound(q, &Shift::high); }},
       {"base_scatter_pct", "", kPercent, [](const AbQuantity& q) { return Scatter(q.base_us); }},
       {"candidate_scatter_pct", "", kPercent, [](const AbQuantity& q) { return Scatter(q.candidate_us); }},
       {"noise_floor_pct", "", kPercent, [](const AbQuantity& q) { return 100 * q.noise_floor; }},
       {"verdict", "", [](const AbQuantity& q) { return ToText(q.verdict); }}})));
  std::vector<ExecutionRow> rows;
  for (const RunSummary& run : o.base) rows.push_back({"base", &run});
  for (const RunSummary& run : o.candidate) rows.push_back({"candidate", &run});
  const auto work_us = [](const ExecutionRow& r) {
    const auto work = WorkUs(*r.run->run.program);
    return work ? Measured(*work) : Measured();
  };
  section.tables.push_back(ForPrograms(
      Tabulate<ExecutionRow>("executions", "", rows,
                             {{"side", "", [](const ExecutionRow& r) { return r.side; }},
                              {"run_uuid", "", [](const ExecutionRow& r) { return r.run->run.uuid; }},
                              {"recorded_utc", "", [](const ExecutionRow& r) { return r.run->run.started_utc; }},
                              {"work_us", "", kTimeUs, work_us}})));
  return section;
}

// For people.
Section Judged(const AbOutcome& o) {
  Section section{.title = "Time on the GPU of one execution, and of one call of a kernel that leads"};
  section.tables.push_back(
      Tabulate<AbQuantity>("", "", o.test.quantities(),
                           {{"", "What", [&](const AbQuantity& q) { return NameOf(o, q); }},
                            {"", "Work", kPercent, [](const AbQuantity& q) { return 100 * q.share; }},
                            {"", "Base", kTimeUs, [](const AbQuantity& q) { return Median(q.base_us); }},
                            {"", "Candidate", kTimeUs, [](const AbQuantity& q) { return Median(q.candidate_us); }},
                            {"", "Change", kChangePercent,
                             [](const AbQuantity& q) {
                               return Measured(100) * (Median(q.candidate_us) - Median(q.base_us)) / Median(q.base_us);
                             }},
                            {"", "Interval", Interval},
                            {"", "Scatter", kPercent, [](const AbQuantity& q) { return Scatter(q.base_us); }},
                            {"", "Verdict", [](const AbQuantity& q) { return ToText(q.verdict); }}}));
  section.notes.push_back(
      fmt::format("Medians; the scatter is from the fastest of the base's processes to the slowest. A program against "
                  "itself: at most {:g} % false alarms, however often it looks.",
                  100 * kAbFalseAlarms));
  if (!o.test.has_clocks())
    section.notes.emplace_back("The SM clock during the kernels of a recorded program is not known.");
  return section;
}

}  // namespace

Report MakeAbReport(const AbOutcome& o) {
  Report report{.kind = "ab", .title = Headline(o)};
  report.banner = BannerOf(Leading(o).verdict);
  AddRunHeader(o.candidate.front(), {}, report);
  const auto side = [](const std::vector<RunSummary>& runs, const std::string& label) {
    return fmt::format("{}, {} {} \"{}\"", ProgramName(runs.front().run), runs.size(),
                       runs.size() == 1 ? "run" : "runs", label);
  };
  report.context = {{"base", "Base", side(o.base, o.base_label)},
                    {"candidate", "Candidate", side(o.candidate, o.candidate_label)},
                    {"gpu", "Recorded on", GpuName(o.candidate.front().run)},
                    {"took", "Took", Format(o.seconds * 1e6, kTimeUs)}};
  report.identity.push_back({"base_run_uuid", "", o.base.front().run.uuid});
  report.identity.push_back({"base_run_label", "", o.base_label});
  report.warnings = o.caveats;
  report.sections.push_back(Numbers(o));
  report.sections.push_back(Judged(o));
  if (o.why) {
    Report why = MakeProgramWhyReport(*o.why, {}, {});
    report.answer.notes.push_back("Of two executions with counters: " + why.title + ".");
    for (Section& section : why.sections) report.sections.push_back(std::move(section));
  }
  report.notes.push_back(
      fmt::format("All of it again: culprit check --base {0} --cand {1}, culprit why --base {0} --cand {1}",
                  o.base_label, o.candidate_label));
  return report;
}

}  // namespace culprit
