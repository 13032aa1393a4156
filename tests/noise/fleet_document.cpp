// SPDX-License-Identifier: Apache-2.0
#include "tests/noise/fleet_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/math/distributions/beta.hpp>

namespace culprit::testing {
namespace {

// The upper end of the exact 95 % interval (Clopper and Pearson, one-sided).
double HighestRate(int hits, int tries) {
  return hits >= tries ? 1 : boost::math::quantile(boost::math::beta_distribution<>(hits + 1, tries - hits), 0.95);
}

std::string Rate(int hits, int tries) {
  return hits == 0 ? "0" : fmt::format("{:.1e}", static_cast<double>(hits) / tries);
}

std::string StepTable(std::span<const StepTally> tallies, bool promised) {
  std::string table = "| series | nights | number |";
  for (const double level : kLevels) table += fmt::format(" at {:.0e} |", level);
  table += " suspects |\n|---|---:|---:|";
  for (std::size_t i = 0; i <= kLevels.size(); ++i) table += "---:|";
  table += '\n';
  for (const StepTally& t : tallies) {
    const auto kind = std::ranges::find(SeriesKinds(), t.kind, &SeriesKind::id);
    if (kind == SeriesKinds().end() || kind->is_promised != promised) continue;
    table += fmt::format("| {} | {} | {} |", kind->name, t.nights, t.series);
    for (const int hits : t.false_steps) table += fmt::format(" {} |", Rate(hits, t.series));
    table += fmt::format(" {} |\n", Rate(t.suspects, t.series));
  }
  return table;
}

// The largest share of a level that the false steps of a promised kind reach, the share of all of them, and the false
// steps at the last level.
std::string SumText(std::span<const StepTally> tallies) {
  std::array<double, kLevels.size()> worst{}, all{};
  int series = 0;
  for (const StepTally& t : tallies) {
    const auto kind = std::ranges::find(SeriesKinds(), t.kind, &SeriesKind::id);
    if (kind == SeriesKinds().end() || !kind->is_promised) continue;
    for (std::size_t i = 0; i < kLevels.size(); ++i) {
      worst[i] = std::max(worst[i], t.false_steps[i] / (t.series * kLevels[i]));
      all[i] += t.false_steps[i];
    }
    series += t.series;
  }
  const int hits = static_cast<int>(all.back());
  for (std::size_t i = 0; i < kLevels.size(); ++i) all[i] /= std::max(series, 1) * kLevels[i];
  return fmt::format(
      "The false steps of all these series are {:.3f} of the level at 1e-2, {:.3f} at 1e-3 and {:.3f} at 1e-4; those "
      "of the "
      "worst row {:.2f}, {:.2f} and {:.2f}. At 5e-7, {} of {} series have one: at most {:.1e} with 95 % confidence. So "
      "few "
      "series cannot show 5e-7 itself. That rests on the two tests: the first is exact for normal noise with drift, "
      "the second for any noise without drift, both for nights that are independent.\n",
      all[0], all[1], all[2], worst[0], worst[1], worst[2], hits, series, HighestRate(hits, series));
}

std::string FoundTable(std::span<const FleetTally> tallies) {
  std::string table = "| level | series | announced | of these false |";
  std::string rule = "|---|---:|---:|---:|";
  for (const double size : kStepSizes) {
    table += fmt::format(" {:.0f} %: found | nights |", 100 * size);
    rule += "---:|---:|";
  }
  table += '\n' + rule + '\n';
  for (const FleetTally& t : tallies) {
    table += fmt::format("| {} | {} | {} | {} |", t.method, t.series, t.announced, t.wrong);
    for (const auto& size : t.sizes)
      table += fmt::format(" {} of {} | {} |", size.found, size.steps, size.found ? std::to_string(size.nights) : "");
    table += '\n';
  }
  return table;
}

}  // namespace

std::string FleetDocument(std::span<const StepTally> steps, std::span<const FleetTally> fleet) {
  return fmt::format(R"(# How often a kernel's history has a false step

`noise_test` writes this page from invented series, because no fleet's months ship. The noise of the series is that of long launches between recordings
on an H100 (0.27 % as a standard deviation), unless a row says otherwise. `CULPRIT_UPDATE_GOLDEN=1 CULPRIT_FLEET_SERIES=100000 build/gpu/bin/noise_test
--gtest_filter=FleetSeries.AreWhatTheDocumentSays` makes the tables again. CI makes a part of them each time, and holds the rates against these.

A series is one kernel's median, one value a night. After each night its latest 3, 4, 5, 6, 7, 8, 10, 12, 15, ... runs are compared with all before them
since the last step (`analysis/fleet/change_points.h`). A step needs both:

- **Student's t** of the step, in a model with a step and a slope. The slope is per day, so nights may be missing. The scatter is the series' own, but at least the known noise.
- **The exact rank sum test.** It needs no shape of the scatter. So two modes, or a rare slow mode, make no step, if the nights are independent. It also
  decides the delay: with 10 runs before a step, few orders of the runs are possible, and none is rare enough soon.

p is the larger one, times the comparisons of the night, times L (L + 1) / 6 for the night with L runs since the last step. The sum of all nights'
shares is 1. So a series without a step has a false one in its whole life with a probability of at most the level. A server of 100,000 series has the
level 5 % / 100,000 = 5e-7. A screening takes the level of Benjamini and Hochberg instead: of the announced series, 5 % may be false.

A step that only the first test shows is a **suspect**, if the rank sum test has at most 1 % in that night. The next nights confirm or withdraw it.

## Series without a step

The share with a false lasting step at four levels; and with a suspect after the last night, at 5e-7.

{}
{}
## Nights that depend on each other

Nothing is promised here. For weeks the level really is another one, and no commit made it so. A step back to an earlier level says so (`level_of`).

{}
## Steps that are found

Fleets of 60 nights, in which one series in a hundred has a step between the nights 20 and 50. 85 % of the series have normal noise (most of them between
a third and three times the known noise), 5 % heavy tails, 5 % two modes, 3 % a rare slow mode, 2 % drift. Found: announced as lasting within 3 runs of the step. Nights:
the median from the step until it was announced, the first slow night included.

{}
A step that is not found is in a series with modes, or is small against the scatter of its series, or came so late that few nights followed.
)",
                     StepTable(steps, true), SumText(steps), StepTable(steps, false), FoundTable(fleet));
}

}  // namespace culprit::testing
