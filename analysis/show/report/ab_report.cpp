// SPDX-License-Identifier: Apache-2.0
#include "analysis/show/report/ab_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>

#include "analysis/gate/change_text.h"
#include "analysis/judge/program/work_verdict.h"
#include "analysis/launch/command.h"
#include "analysis/number/format.h"
#include "analysis/number/statistics.h"
#include "analysis/show/render/tabulate.h"
#include "analysis/show/report/program_why_report.h"
#include "analysis/show/report/run_header.h"

namespace culprit {
namespace {

using enum Unit;

std::string ChangeOf(const AbQuantity& q) {
  return q.change ? ChangeText(*q.change) : "too few processes for an interval";
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
  using enum AbVerdict;
  static const std::map<AbVerdict, Banner> banners = {{kSlower, {Tone::kBad, "Slower"}},
                                                      {kWithinLimit, {Tone::kGood, "Slower within the limit"}},
                                                      {kSame, {Tone::kGood, "Not slower"}},
                                                      {kFaster, {Tone::kGood, "Faster"}},
                                                      {kOpen, {Tone::kOpen, "Open"}}};
  return banners.at(verdict);
}

std::string Headline(const AbOutcome& o) {
  const AbQuantity& leading = Leading(o);
  const std::string what = fmt::format("{}: {}", BannerOf(leading.verdict).text, NameOf(o, leading));
  const std::string limit = fmt::format("{:g} %", 100 * o.test.limit()), change = ChangeOf(leading);
  const std::string after = fmt::format("after {} and {} processes", o.base.size(), o.candidate.size());
  if (leading.verdict == AbVerdict::kSlower)
    return fmt::format("{} by {}, more than {}, {}", what, change, limit, after);
  if (leading.verdict == AbVerdict::kOpen)
    return fmt::format("{}: {}: a slow-down of more than {} is neither shown nor excluded, {}", what, change, limit,
                       after);
  return fmt::format("{} by {}, where {} is accepted, {}", what, change, limit, after);
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

std::string Interval(const AbQuantity& q) { return q.change ? IntervalText(*q.change) : "-"; }

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
  using Quantity = AbQuantity;
  section.tables.push_back(ForPrograms<Quantity>(
      "quantities", o.test.quantities(),
      {{"stage", &Quantity::stage},
       {"shape", &Quantity::shape},
       {"name", [&](const Quantity& q) { return NameOf(o, q); }},
       {"work_pct", kPercent, [](const Quantity& q) { return 100 * q.share; }},
       {"base_us", kTimeUs, [](const Quantity& q) { return Median(q.base_us); }},
       {"candidate_us", kTimeUs, [](const Quantity& q) { return Median(q.candidate_us); }},
       {"change_pct", kChangePercent, [](const Quantity& q) { return PercentOf(q.change, &Shift::change); }},
       {"change_low_pct", kChangePercent, [](const Quantity& q) { return PercentOf(q.change, &Shift::low); }},
       {"change_high_pct", kChangePercent, [](const Quantity& q) { return PercentOf(q.change, &Shift::high); }},
       {"base_scatter_pct", kPercent, [](const Quantity& q) { return Scatter(q.base_us); }},
       {"candidate_scatter_pct", kPercent, [](const Quantity& q) { return Scatter(q.candidate_us); }},
       {"noise_floor_pct", kPercent, [](const Quantity& q) { return 100 * q.noise_floor; }},
       {"verdict", [](const Quantity& q) { return ToText(q.verdict); }}}));
  using Execution = std::pair<const char*, const RunRecord*>;  // its side
  std::vector<Execution> executions;
  for (const RunSummary& run : o.base) executions.emplace_back("base", &run.run);
  for (const RunSummary& run : o.candidate) executions.emplace_back("candidate", &run.run);
  section.tables.push_back(
      ForPrograms<Execution>("executions", executions,
                             {{"side", &Execution::first},
                              {"run_uuid", [](const Execution& e) { return e.second->uuid; }},
                              {"recorded_utc", [](const Execution& e) { return e.second->started_utc; }},
                              {"work_us", kTimeUs, [](const Execution& e) { return WorkUs(*e.second->program); }}}));
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
    section.notes.emplace_back("The clock of timed launches of a recorded program is not measured.");
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
