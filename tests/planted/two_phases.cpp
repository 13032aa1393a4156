// SPDX-License-Identifier: Apache-2.0
#include "tests/planted/two_phases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>

#include "analysis/number/statistics.h"
#include "tests/planted/diluted.h"
#include "tests/planted/pairs.h"

namespace culprit::testing {
namespace {

double TimeOf(const KernelRecord& kernel) { return *KernelView(kernel).Get("time_us"); }
double DeltaOf(const RecordedPair& pair) { return TimeOf(*pair.candidate) - TimeOf(*pair.base); }
double OccupancyOf(const KernelRecord& kernel) {
  return KernelView(kernel).Get("achieved_occupancy_pct").value_or(NAN);
}

}  // namespace

double TwoPhases::ErrorOfShare() const { return std::abs(said.Of(first_cause) / said.DeltaUs() - share); }

bool TwoPhases::AreBothFirst() const {
  std::vector<std::pair<double, std::string>> largest;
  for (const auto& [cause, us] : said.us) largest.emplace_back(-us / said.DeltaUs(), cause);
  std::ranges::sort(largest);
  if (largest.size() < 2) return false;
  const auto is_one = [&](const std::string& cause) { return cause == first_cause || cause == second_cause; };
  return is_one(largest[0].second) && is_one(largest[1].second);
}

std::vector<TwoPhases> JudgeTwoPhases(const Database& planted, const std::filesystem::path& answers, int draws) {
  const PlantedPairs recorded(planted, answers);
  const auto pairs_apart = [](const RecordedPair& a, const RecordedPair& b) {
    return a.answer.cause != b.answer.cause && a.run == b.run;
  };
  const auto& all = recorded.pairs();
  if (std::ranges::none_of(all, [&](const auto& a) {
        return std::ranges::any_of(all, [&](const auto& b) { return pairs_apart(a, b); });
      }))
    throw std::runtime_error("no run has pairs with two causes");
  std::mt19937 random(31);
  std::vector<TwoPhases> judged;
  while (std::ssize(judged) < draws) {
    const RecordedPair &one = all[random() % all.size()], &other = all[random() % all.size()];
    const double ratio = std::exp2(static_cast<double>(random() % 401) / 100 - 2);
    if (!pairs_apart(one, other)) continue;
    // The slow-downs have the given ratio if the parts of the work have that of the weights.
    const double a = ratio / DeltaOf(one), b = 1 / DeltaOf(other), part = b / (a + b);
    const KernelRecord base = Diluted(*one.base, *other.base, part);
    const KernelRecord candidate = Diluted(*one.candidate, *other.candidate, part);
    TwoPhases both{one.answer.pair,
                   other.answer.pair,
                   one.answer.cause,
                   other.answer.cause,
                   ratio / (1 + ratio),
                   std::abs(OccupancyOf(*one.base) - OccupancyOf(*other.base)) < 10,
                   {}};
    both.said = PartsOf(ExplainWith(nullptr, nullptr, KernelView(base), KernelView(candidate)));
    judged.push_back(std::move(both));
  }
  return judged;
}

std::string TwoPhasesReport(const std::vector<TwoPhases>& judged) {
  std::string text =
      "| occupancy of the two | kernels | error of a share, median | 90 % below | both causes are the two largest |\n"
      "|---|---:|---:|---:|---:|\n";
  for (const bool alike : {true, false}) {
    std::vector<double> errors;
    double both = 0;
    for (const TwoPhases& t : judged) {
      if (alike && !t.alike) continue;
      errors.push_back(100 * t.ErrorOfShare());
      both += t.AreBothFirst();
    }
    std::ranges::sort(errors);
    if (errors.empty()) continue;
    text += fmt::format("| {} | {} | {:.1f} points | {:.1f} points | {:.0f} % |\n", alike ? "within 10 points" : "any",
                        errors.size(), Quantile(errors, 0.5), Quantile(errors, 0.9),
                        100 * both / static_cast<double>(errors.size()));
  }
  return text;
}

}  // namespace culprit::testing
