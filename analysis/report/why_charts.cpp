// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "analysis/causes/cause.h"
#include "analysis/render/format.h"
#include "analysis/report/charts.h"
#include "analysis/report/why_report.h"
#include "analysis/why/headline.h"

namespace culprit {

using enum Unit;

Chart MakeWaterfall(const WaterfallPart& base, std::span<const WaterfallPart> parts, const WaterfallPart& candidate) {
  const bool ranged = std::ranges::any_of(parts, [](const WaterfallPart& p) { return p.interval.has_value(); });
  ReportTable table{.columns = {{"name", "Part"},
                                {"role", "", true},
                                {"us", "Time"},
                                {"from_us", "", true},
                                {"to_us", "", true},
                                {"low_us", "", true},
                                {"high_us", "", true},
                                {"interval", "90 % interval", !ranged},
                                {"what", "What it is"},
                                {"evidence", "Rests on", true}}};
  const auto add = [&](const WaterfallPart& p, const char* role, double from, double to) {
    const bool total = std::string_view(role) == "total";
    const auto bound = [&](double Scatter::*side) {
      return p.interval ? Measured(from + (*p.interval).*side) : Measured();
    };
    table.rows.push_back({p.name,
                          role,
                          {p.us, total ? kTimeUs : kTimeDeltaUs},
                          {from, kTimeUs},
                          {to, kTimeUs},
                          {bound(&Scatter::low), kTimeUs},
                          {bound(&Scatter::high), kTimeUs},
                          p.interval ? fmt::format("{} .. {}", Format(p.interval->low, kTimeDeltaUs),
                                                   Format(p.interval->high, kTimeDeltaUs))
                                     : "",
                          p.what,
                          p.evidence});
  };
  add(base, "total", 0, base.us);
  double at = base.us;
  for (const WaterfallPart& part : parts) {
    add(part, part.is_rest ? "rest" : "part", at, at + part.us);
    at += part.us;
  }
  add(candidate, "total", 0, candidate.us);
  return {.kind = ChartKind::kWaterfall,
          .title = fmt::format("From {} to {}", base.name, candidate.name),
          .text = fmt::format(
              "Each bar begins where the one above it ends: bars to the right are time that {} takes more, bars "
              "to the left time that it takes less. Together they are the whole difference, {}.{}",
              candidate.name, Format(candidate.us - base.us, kTimeDeltaUs),
              ranged ? " A thin line is where a bar ends in nine of ten cases." : ""),
          .data = std::move(table)};
}

std::vector<Chart> WhyCharts(const KernelRecord& base, const KernelRecord& candidate, const Explanation& e) {
  const KernelView from(base), to(candidate);
  const PairNames names = NamesOf(base, candidate);
  const NamedKernel both[] = {{names.base, &from}, {names.candidate, &to}};
  std::vector<Chart> charts;
  const auto add = [&](std::optional<Chart> chart) {
    if (chart) charts.push_back(*std::move(chart));
  };
  if (IsDifference(e.verdict.speed) && e.base_us && e.candidate_us) {
    std::vector<WaterfallPart> parts;
    for (const CausePart& part : e.causes)
      if (part.delta_us != 0)
        parts.push_back({part.cause, part.delta_us, std::string(WordsFor(part.cause, part.delta_us)), part.interval,
                         EvidenceText(part)});
    parts.push_back({.name = "unexplained", .us = e.unexplained_us, .what = "not attributed", .is_rest = true});
    add(MakeWaterfall({names.base, *e.base_us}, parts, {names.candidate, *e.candidate_us}));
    charts.back().section = "Causes";
  }
  add(StallChart(both, "Where the time went"));
  add(RooflineChart(both, "Where the time went"));
  add(SampleChart(both, "Recorded"));
  return charts;
}

}  // namespace culprit
