// SPDX-License-Identifier: Apache-2.0
#include "analysis/show/report/phase_section.h"

#include <fmt/core.h>

#include <algorithm>

#include "analysis/judge/difference/verdict.h"
#include "analysis/judge/why/phase_difference.h"
#include "analysis/number/format.h"
#include "analysis/show/report/strip.h"
#include "analysis/show/report/unit_formulas.h"
#include "analysis/timeline/phase_rates.h"

namespace culprit {
namespace {

struct Side {
  const PhaseSide* side;
  std::vector<PhaseRates> rates;

  const PhaseRates* Find(const UnitRate& rate) const {
    const auto found = std::ranges::find(rates, &rate, &PhaseRates::rate);
    return found == rates.end() ? nullptr : &*found;
  }
  double DurationUs() const { return side->profiles.front().duration_ns / 1000; }
};

std::string Strip(const PhaseRates& rates, double peak) {
  std::string strip;
  for (std::size_t i = 0; i < kStripColumns; ++i)
    strip += StripDigit(ValueAt(rates, (static_cast<double>(i) + 0.5) / kStripColumns), peak);
  return strip;
}

// A rate without a known peak is drawn in tenths of its most.
double PeakFor(const UnitRate& rate, const std::vector<Side>& sides) {
  if (const auto peak = PeakOf(rate, sides.front().side->kernel->run.run)) return *peak;
  double most = 0;
  for (const Side& side : sides)
    if (const PhaseRates* const rates = side.Find(rate)) most = std::max(most, std::ranges::max(rates->values));
  return most;
}

ReportTable TableOf(const std::vector<Side>& sides) {
  ReportTable table{"phases",
                    "",
                    {{"side", "", true},
                     {"unit", "", true},
                     {"from", "", true},
                     {"to", "", true},
                     {"value", "", true},
                     {"error", "", true}}};
  for (const Side& side : sides)
    for (const PhaseRates& rates : side.rates)
      for (std::size_t q = 0; q < rates.values.size(); ++q) {
        const UnitRate& rate = *rates.rate;
        const auto share = [&](std::size_t edge) { return Cell(Measured(rates.edges[edge]), Unit::kRatio); };
        table.rows.push_back({side.side->name, std::string(rate.id), share(q), share(q + 1),
                              Cell(Measured(rates.values[q]), rate.unit), Cell(Measured(rates.errors[q]), rate.unit)});
      }
  table.shown = 0;
  return table;
}

// What the ends of two launches take, and what is left without them. Empty: not known, or hardly anything.
std::string Tails(const std::vector<Side>& sides) {
  if (sides.size() != 2) return {};
  const PhaseSide &base = *sides[0].side, &candidate = *sides[1].side;
  const NoiseFloor floor = VerdictOnPair(KernelView(*base.kernel), KernelView(*candidate.kernel)).floor;
  const auto phases = ComparePhases(*base.kernel, base.profiles, *candidate.kernel, candidate.profiles, floor);
  return phases ? phases->text : std::string();
}

}  // namespace

std::optional<Section> MakePhaseSection(std::span<const PhaseSide> given) {
  std::vector<Side> sides;
  for (const PhaseSide& side : given)
    if (std::vector<PhaseRates> rates = RatesInside(*side.kernel, side.profiles); !rates.empty())
      sides.push_back({&side, std::move(rates)});
  if (sides.empty()) return std::nullopt;
  Section section{.key = "phases", .title = "Inside the kernel"};
  Drawing drawing;
  std::size_t label = 0;
  const auto name_of = [&](const UnitRate& rate, const Side& side) {
    return sides.size() == 1 ? std::string(rate.title) : fmt::format("{}, {}", rate.title, side.side->name);
  };
  for (const UnitRate& rate : UnitRates())
    for (const Side& side : sides) label = std::max(label, name_of(rate, side).size() + 2);
  const auto line = [&](std::string name, std::string strip, std::string_view value) {
    name.resize(std::max(label, name.size()), ' ');
    drawing.lines.push_back({{std::move(name)}, {std::move(strip)}, {"  " + std::string(value)}});
  };
  for (const Side& side : sides) {
    std::string axis = "0";
    const std::string end = Format(side.DurationUs(), Unit::kTimeUs);
    axis.resize(kStripColumns - std::min(end.size(), kStripColumns - 1), ' ');
    line(sides.size() == 1 ? "" : side.side->name, axis + end, sides.size() == 1 ? "mean" : "");
  }
  for (const UnitRate& rate : UnitRates()) {
    const double peak = PeakFor(rate, sides);
    for (const Side& side : sides)
      if (const PhaseRates* const rates = side.Find(rate))
        line(name_of(rate, side), Strip(*rates, peak), Format(rates->mean, rate.unit));
  }
  section.drawings.push_back(std::move(drawing));
  section.tables.push_back(TableOf(sides));
  section.tables.push_back(FormulaTable());
  section.notes.push_back(fmt::format("From its start to its end, mean over the launch's calls. {}", kStripLegend));
  if (std::string tails = Tails(sides); !tails.empty()) section.notes.push_back(std::move(tails));
  if (sides.size() < given.size())
    section.notes.push_back("The other side has no profiles: record it with 'culprit record --profile sampled'.");
  return section;
}

}  // namespace culprit
