// SPDX-License-Identifier: Apache-2.0
#include "analysis/show/report/regressions_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/gate/change_text.h"
#include "analysis/number/joined.h"
#include "analysis/number/line_ranges.h"
#include "analysis/number/printable.h"
#include "analysis/show/html/html_text.h"
#include "analysis/show/render/json_cell.h"
#include "analysis/show/render/tabulate.h"
#include "analysis/show/report/github_command.h"
#include "analysis/show/report/trend_report.h"
#include "db/regular_file.h"

namespace culprit {
namespace {

using enum Unit;
using Json = OrderedJson;

std::string SeriesName(const Regression& r) {
  return r.of_workload ? r.series.workload + ", all kernels" : ClassText(r.series.of);
}

std::string WhereOf(const Regression& r) {
  return r.series.branch.empty() ? r.series.gpu : fmt::format("{}, {}", r.series.gpu, r.series.branch);
}

std::string WhyOf(const Regression& r) { return r.of_workload ? "the sum of its kernels" : ReasonText(r.step); }

// "softmax at 128x1x1 is slower by +5.1 % (...) on NVIDIA H100, main, since 0123..4567: register_spills (91 %)."
std::string Sentence(const Regression& r) {
  return fmt::format("{} is {} by {} on {} since {}: {}{}.", SeriesName(r),
                     r.step.step.is_lasting ? "slower" : "perhaps slower", ChangeText(r.step.step), WhereOf(r),
                     CommitsText(r.before, r.after), WhyOf(r),
                     r.step.also.empty() ? "" : "; also changed: " + Joined(r.step.also));
}

std::ptrdiff_t Count(const Regressions& all) { return std::ranges::count_if(all.found, &Regression::Counts); }

std::string Headline(const Regressions& all) {
  const auto n = Count(all);
  if (all.series > 0 && all.too_short == all.series)
    return fmt::format("Not judged: all {} series have too few runs, of {} since {}", all.series, all.runs, all.since);
  return fmt::format("{} since {}, in {} series of {} runs",
                     n == 0   ? "Nothing became slower"
                     : n == 1 ? "1 series became slower"
                              : fmt::format("{} series became slower", n),
                     all.since, all.series, all.runs);
}

// "gather.cu:26-28" -> file and first line. A path that leads out of the project is left out.
LineRange PlaceIn(const std::string& source) {
  const std::size_t colon = source.rfind(':');
  if (colon == std::string::npos || source.starts_with("kernel ") || !LeadsDown(source.substr(0, colon))) return {};
  int line = 0;
  for (std::size_t i = colon + 1; i < source.size() && source[i] >= '0' && source[i] <= '9'; ++i)
    line = std::min(line * 10 + (source[i] - '0'), 100'000'000);
  return {source.substr(0, colon), line, line};
}

}  // namespace

Report MakeRegressionsReport(const Regressions& all) {
  Report report{.kind = "regressions", .title = Headline(all)};
  const auto n = Count(all);
  report.banner =
      n == 0 ? Banner{Tone::kGood, "Nothing became slower"} : Banner{Tone::kBad, fmt::format("{} became slower", n)};
  ReportTable table = Tabulate<Regression>(
      "found", "", all.found,
      {{"kernel", "Kernel", SeriesName},
       {"gpu", "GPU", [](const Regression& r) { return r.series.gpu; }},
       {"branch", "Branch", [](const Regression& r) { return r.series.branch; }},
       {"change", "Slower by", [](const Regression& r) { return ChangeText(r.step.step); }},
       {"change_pct", kChangePercent, [](const Regression& r) { return 100 * r.step.step.change; }},
       {"change_low_pct", kChangePercent, [](const Regression& r) { return 100 * r.step.step.low; }},
       {"change_high_pct", kChangePercent, [](const Regression& r) { return 100 * r.step.step.high; }},
       {"cost_us", "Costs", kTimeDeltaUs, [](const Regression& r) { return Measured(r.cost_us); }},
       {"since", "Since", [](const Regression& r) { return r.after.started.substr(0, 10); }},
       {"commits", "Commits", [](const Regression& r) { return CommitsText(r.before, r.after); }},
       {"reason", "Why", WhyOf},
       {"cause", [](const Regression& r) { return r.step.judged.cause; }},
       {"source", "At", [](const Regression& r) { return r.step.judged.source; }},
       {"also", "Also changed", [](const Regression& r) { return Joined(r.step.also); }},
       {"state", "State",
        [](const Regression& r) { return r.is_moved               ? "moved"
                                         : r.step.step.is_lasting ? "lasting"
                                                                  : "suspect"; }},
       {"workload", [](const Regression& r) { return r.series.workload; }},
       {"from_run", [](const Regression& r) { return r.before.uuid; }},
       {"to_run", [](const Regression& r) { return r.after.uuid; }}});
  Section section{.key = "regressions",
                  .facts = {{"since", "", all.since},
                            {"runs", "", Cell(static_cast<double>(all.runs), kInteger)},
                            {"series", "", Cell(static_cast<double>(all.series), kInteger)},
                            {"too_short", "", Cell(static_cast<double>(all.too_short), kInteger)},
                            {"slower", "", Cell(static_cast<double>(n), kInteger)},
                            {"faster", "", Cell(static_cast<double>(all.faster), kInteger)},
                            {"level", "", {all.level, kRatio}}},
                  .tables = {std::move(table)}};
  if (all.found.empty()) section.tables.front().shown = 0;
  section.notes.push_back(fmt::format(
      "Of the steps that it announces, at most {:g} % are expected to be false (Benjamini and Hochberg, over {} "
      "series).{}{}{}",
      100 * kFalseShare, all.series,
      all.too_short > 0 ? fmt::format(" {} series have too few runs to be judged.", all.too_short) : "",
      all.faster > 0 ? fmt::format(" {} became faster.", all.faster) : "",
      static_cast<std::ptrdiff_t>(all.found.size()) > n
          ? " A kernel whose cost moved there from others that were renamed, split or fused is no regression."
          : ""));
  report.sections.push_back(std::move(section));
  return report;
}

void RenderRegressionsSarif(const Regressions& all, std::ostream& out) {
  Json results = Json::array();
  for (const Regression& r : all.found) {
    if (!r.Counts()) continue;
    Json result = {{"ruleId", "kernel-slower"}, {"level", r.step.step.is_lasting ? "error" : "warning"}};
    result["message"]["text"] = Printable(Sentence(r));
    Json location = Json::object();
    if (const auto [file, line, last] = PlaceIn(r.step.judged.source); !file.empty()) {
      location["physicalLocation"]["artifactLocation"]["uri"] = Printable(file);
      if (line > 0) location["physicalLocation"]["region"]["startLine"] = line;
    }
    location["logicalLocations"] = Json::array({{{"name", Printable(SeriesName(r))}, {"kind", "function"}}});
    result["locations"] = Json::array({location});
    result["properties"] = {{"change_pct", 100 * r.step.step.change},
                            {"gpu", Printable(r.series.gpu)},
                            {"branch", Printable(r.series.branch)},
                            {"commits", Printable(CommitsText(r.before, r.after))}};
    results.push_back(std::move(result));
  }
  Json rule = {{"id", "kernel-slower"}};
  rule["shortDescription"]["text"] = "A kernel became slower";
  Json run;
  run["tool"]["driver"] = {{"name", "culprit"}, {"rules", Json::array({rule})}};
  run["results"] = std::move(results);
  const Json sarif = {
      {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"}, {"version", "2.1.0"}, {"runs", Json::array({run})}};
  out << PrintableJson(sarif.dump(2, ' ', false, Json::error_handler_t::replace)) << '\n';
}

void RenderRegressionsJunit(const Regressions& all, std::ostream& out) {
  const auto escaped = [](std::string_view text) { return EscapeMarkup(Printable(text)); };
  const std::string totals =
      fmt::format("tests=\"{}\" failures=\"{}\"", std::max<std::size_t>(all.found.size(), 1), Count(all));
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"culprit regressions\" " << totals
      << ">\n  <testsuite name=\"" << escaped(Headline(all)) << "\" " << totals << ">\n";
  for (const Regression& r : all.found) {
    out << "    <testcase classname=\"" << escaped(WhereOf(r)) << "\" name=\"" << escaped(SeriesName(r)) << '"';
    if (r.Counts())
      out << ">\n      <failure type=\"slower\" message=\"" << escaped(Sentence(r)) << "\"/>\n    </testcase>\n";
    else
      out << "/>\n";
  }
  if (all.found.empty()) out << "    <testcase classname=\"culprit\" name=\"" << escaped(Headline(all)) << "\"/>\n";
  out << "  </testsuite>\n</testsuites>\n";
}

void RenderRegressionsGithub(const Regressions& all, std::ostream& out) {
  WriteGithubCommand(Count(all) == 0 ? "notice" : "error", {}, "culprit regressions", Headline(all) + ".", out);
  for (const Regression& r : all.found)
    if (r.Counts())
      WriteGithubCommand(r.step.step.is_lasting ? "error" : "warning", PlaceIn(r.step.judged.source),
                         SeriesName(r) + " is slower", Sentence(r), out);
}

}  // namespace culprit
