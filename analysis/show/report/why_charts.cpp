// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "analysis/judge/causes/cause.h"
#include "analysis/judge/why/headline.h"
#include "analysis/number/format.h"
#include "analysis/show/render/tabulate.h"
#include "analysis/show/report/charts.h"
#include "analysis/show/report/why_report.h"

namespace culprit {

using enum Unit;

Chart MakeWaterfall(const WaterfallPart& base, std::span<const WaterfallPart> parts, const WaterfallPart& candidate) {
  const bool ranged = std::ranges::any_of(parts, [](const WaterfallPart& p) { return p.interval.has_value(); });
  struct Bar {
    const WaterfallPart* part;
    const char* role;
    double from, to;
  };
  std::vector<Bar> bars = {{&base, "total", 0, base.us}};
  for (double at = base.us; const WaterfallPart& part : parts) {
    bars.push_back({&part, part.is_rest ? "rest" : "part", at, at + part.us});
    at += part.us;
  }
  bars.push_back({&candidate, "total", 0, candidate.us});
  const auto bound = [](double Scatter::*side) {
    return
        [side](const Bar& b) { return b.part->interval ? Measured(b.from + (*b.part->interval).*side) : Measured(); };
  };
  const auto interval = [](const Bar& b) {
    const auto& i = b.part->interval;
    return i ? fmt::format("{} .. {}", Format(i->low, kTimeDeltaUs), Format(i->high, kTimeDeltaUs)) : "";
  };
  const auto us = [](const Bar& b) {
    return Cell(b.part->us, b.role == std::string_view("total") ? kTimeUs : kTimeDeltaUs);
  };
  ReportTable table = Tabulate<Bar>("", "", bars,
                                    {{"name", "Part", [](const Bar& b) { return b.part->name; }},
                                     {"role", &Bar::role},
                                     {"us", "Time", us},
                                     {"from_us", kTimeUs, &Bar::from},
                                     {"to_us", kTimeUs, &Bar::to},
                                     {"low_us", kTimeUs, bound(&Scatter::low)},
                                     {"high_us", kTimeUs, bound(&Scatter::high)},
                                     {"interval", "90 % interval", interval, !ranged},
                                     {"what", "What it is", [](const Bar& b) { return b.part->what; }},
                                     {"evidence", "Rests on", [](const Bar& b) { return b.part->evidence; }, true}});
  return {
      .kind = ChartKind::kWaterfall,
      .title = fmt::format("From {} to {}", base.name, candidate.name),
      .text = fmt::format("Each bar begins where the one above it ends: bars to the right are time that {} takes more, "
                          "bars to the left time that it takes less. Together they are the whole difference, {}.{}",
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
