// SPDX-License-Identifier: Apache-2.0
#include "tests/planted/model_error_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace culprit::testing {
namespace {

// Classes are narrower where there are many parts: most pairs with one cause have a part of nearly the whole change.
constexpr double kFrom[] = {0, 0.08, 0.2, 0.4, 0.6, 0.8, 0.95, 1.05};
constexpr double kHeld = 0.9;

std::size_t IndexOf(double said) {
  const auto above = std::ranges::upper_bound(kFrom, std::abs(said));
  return static_cast<std::size_t>(above - std::begin(kFrom)) - 1;
}

// The numbers behind the interval, printed with four digits.
double Rounded(double width) { return std::ceil(1000 * width) / 1000; }

}  // namespace

std::vector<ModelError> FitModelErrors(std::span<const Score::Residual> residuals) {
  std::vector<std::vector<double>> errors(std::size(kFrom));
  for (const Score::Residual& r : residuals) errors[IndexOf(r.said)].push_back(std::abs(r.said - r.truth));
  std::vector<ModelError> fitted;
  for (std::size_t row = 0; row < errors.size(); ++row) {
    std::vector<double>& of = errors[row];
    if (of.empty()) continue;
    std::ranges::sort(of);
    // Split conformal prediction (Vovk, Gammerman and Shafer, "Algorithmic Learning in a Random World", 2005): the
    // next error is below the ceil(0.9 (n + 1))-th of n with probability 0.9.
    const auto rank = static_cast<std::size_t>(std::ceil(kHeld * static_cast<double>(of.size() + 1)));
    fitted.push_back({kFrom[row], Rounded(of[std::min(rank, of.size()) - 1]), static_cast<int>(of.size())});
  }
  return fitted;
}

std::string ModelErrorText(const std::vector<ModelError>& errors) {
  std::string text =
      "// Made by planted_test with CULPRIT_UPDATE_GOLDEN=1 from the recordings that ship: from, half_width, parts.\n";
  for (const ModelError& e : errors) text += fmt::format("{{{}, {}, {}}},\n", e.from, e.half_width, e.parts);
  return text;
}

Coverage LeavingPairOut(const std::vector<Score::Residual>& residuals, bool (*of)(const Score::Residual&)) {
  std::map<std::string, std::vector<Score::Residual>> others;
  for (const Score::Residual& r : residuals) others.try_emplace(r.pair);
  for (auto& [pair, rest] : others)
    std::ranges::copy_if(residuals, std::back_inserter(rest), [&](const auto& r) { return r.pair != pair; });
  Coverage coverage;
  for (auto& [pair, rest] : others) {
    const std::vector<ModelError> fitted = FitModelErrors(rest);
    for (const Score::Residual& r : residuals) {
      if (r.pair != pair || !of(r)) continue;
      ++coverage.parts;
      coverage.held += std::abs(r.said - r.truth) <= RowOf(fitted, r.said).half_width;
    }
  }
  return coverage;
}

}  // namespace culprit::testing
