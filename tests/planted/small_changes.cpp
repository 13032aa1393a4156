// SPDX-License-Identifier: Apache-2.0
#include "tests/planted/small_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>

#include "analysis/judge/why/explain.h"
#include "analysis/judge/why/headline.h"
#include "analysis/number/statistics.h"
#include "db/fnv.h"
#include "tests/planted/diluted.h"
#include "tests/planted/model_error_fit.h"
#include "tests/planted/pairs.h"

namespace culprit::testing {
namespace {

SmallChange JudgeOne(const PlantedAnswer& answer, double part, double true_us, const KernelRecord& base,
                     const KernelRecord& candidate) {
  const Explanation why = ExplainWith(nullptr, nullptr, KernelView(base), KernelView(candidate));
  return {answer.pair,       base.launch.shape,     answer.cause, part,
          why.verdict.speed, FirstCauseStands(why), PartsOf(why), true_us};
}

// By the judge of commit 756a94ff, on the same pairs.
constexpr const char* kFirstBefore[] = {"98 %", "93 %", "91 %", "80 %", "71 %"};

std::string Percent(int of, int all) { return all > 0 ? fmt::format("{:.0f} %", 100.0 * of / all) : "-"; }

}  // namespace

std::vector<SmallChange> JudgeSmallChanges(const Database& planted, const std::filesystem::path& answers,
                                           double noise) {
  const PlantedPairs recorded(planted, answers);
  std::vector<SmallChange> judged;
  for (const double part : kDilutions)
    for (const RecordedPair& pair : recorded.pairs()) {
      const KernelRecord quiet = Diluted(*pair.base, *pair.candidate, part);
      const double true_us = *KernelView(quiet).Get("time_us") - *KernelView(*pair.base).Get("time_us");
      const std::string name = fmt::format("{} {} {}", pair.answer.pair, pair.shape, part);
      judged.push_back(JudgeOne(pair.answer, part, true_us, RecordedAgain(*pair.base, noise, 0, Fnv1a(name)),
                                RecordedAgain(quiet, noise, 1, Fnv1a(name + " candidate"))));
    }
  return judged;
}

std::vector<Residual> ResidualsOf(std::span<const SmallChange> changes) {
  std::vector<Residual> residuals;
  for (const SmallChange& c : changes)
    for (const auto& [cause, scatter] : c.said.scatter)
      residuals.push_back(ResidualOf(c.pair, cause, c.said, cause == c.planted ? c.true_us : 0));
  return residuals;
}

std::vector<BySize> SumBySize(std::span<const SmallChange> changes) {
  std::vector<BySize> rows;
  for (const double part : kDilutions) {
    BySize& row = rows.emplace_back(BySize{part});
    std::vector<double> sizes;
    for (const SmallChange& c : changes) {
      if (c.part != part) continue;
      ++row.all;
      sizes.push_back(std::abs(c.said.DeltaUs()) / c.said.base_us);
      if (!IsDifference(c.speed)) continue;
      ++row.different;
      row.first += c.IsRight();
      row.named += c.named;
      row.named_right += c.named && c.IsRight();
    }
    std::ranges::sort(sizes);
    row.change = sizes.empty() ? NAN : Quantile(sizes, 0.5);
  }
  return rows;
}

std::string SmallChangesReport(std::span<const SmallChange> changes) {
  std::string text =
      "| part of the work | change (median) | called different | of these planted first, before | now | right or "
      "silent | right where the headline names a cause |\n|---:|---:|---:|---:|---:|---:|---:|\n";
  const char* const* before = std::begin(kFirstBefore);
  for (const BySize& row : SumBySize(changes))
    text += fmt::format("| {:.0f} % | {:+.1f} % | {} of {} | {} | {} | {} | {} of {} |\n", 100 * row.part,
                        100 * row.change, row.different, row.all, *before++, Percent(row.first, row.different),
                        Percent(row.all - row.named + row.named_right, row.all), row.named_right, row.named);
  text +=
      "\n| change | planted causes within their interval | other causes | where more than 30 % are unexplained |\n"
      "|---|---:|---:|---:|\n";
  const std::vector<Residual> residuals = ResidualsOf(changes);
  std::map<std::string, std::string> planted;
  for (const SmallChange& c : changes) planted[c.pair] = c.planted;
  for (std::size_t i = 0; i < std::size(kChangesFrom); ++i) {
    const double from = kChangesFrom[i], to = i + 1 < std::size(kChangesFrom) ? kChangesFrom[i + 1] : INFINITY;
    const auto held = [&](auto of) {
      const Coverage coverage = LeavingFamilyOut(
          residuals, [&](const Residual& r) { return from <= r.size.change && r.size.change < to && of(r); });
      return coverage.parts == 0 ? "-" : fmt::format("{:.0f} % of {}", 100 * coverage.Share(), coverage.parts);
    };
    const auto is_planted = [&](const Residual& r) { return planted.at(r.pair) == r.cause; };
    text += fmt::format("| {} | {} | {} | {} |\n",
                        std::isfinite(to) ? fmt::format("{:.0f} to {:.0f} %", 100 * from, 100 * to)
                                          : fmt::format("above {:.0f} %", 100 * from),
                        held(is_planted), held(std::not_fn(is_planted)), held(IsLargelyUnexplained));
  }
  return text;
}

std::string WrongSmallChanges(std::span<const SmallChange> changes) {
  std::string text = "| part of the work | pair | change | planted | said |\n|---:|---|---:|---|---|\n";
  for (const SmallChange& c : changes)
    if (IsDifference(c.speed) && !c.IsRight())
      text += fmt::format("| {:.0f} % | {} {} | {:+.1f} % | {} | {}{} |\n", 100 * c.part, c.pair, c.shape,
                          100 * c.said.DeltaUs() / c.said.base_us, c.planted, SaidOf(c.said),
                          c.named ? "" : " (not named)");
  return text;
}

}  // namespace culprit::testing
