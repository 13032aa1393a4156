// SPDX-License-Identifier: Apache-2.0
#include "tests/planted/model_error_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

namespace culprit::testing {
namespace {

constexpr double kHeld = 0.9;
// In some classes scatter alone holds nine in ten.
constexpr double kLeast = 0.02;

template <std::size_t N>
std::size_t IndexOf(const double (&from)[N], double value) {
  return static_cast<std::size_t>(std::ranges::upper_bound(from, value) - std::begin(from)) - 1;
}

// What scatter and the unexplained part leave of the distance to the truth.
double BeyondScatter(const Residual& r) {
  const double error = r.said - r.truth;
  return std::sqrt(std::max(0.0, error * error - r.scatter * r.scatter - r.size.unexplained * r.size.unexplained));
}

// The numbers behind the interval, printed with four digits.
double Rounded(double width) { return std::max(kLeast, std::ceil(1000 * width) / 1000); }

}  // namespace

std::vector<ModelError> FitModelErrors(std::span<const Residual> residuals) {
  std::vector<double> errors[std::size(kSharesFrom)][std::size(kChangesFrom)];
  for (const Residual& r : residuals)
    errors[IndexOf(kSharesFrom, r.size.share)][IndexOf(kChangesFrom, r.size.change)].push_back(BeyondScatter(r));
  std::vector<ModelError> fitted;
  for (std::size_t share = 0; share < std::size(kSharesFrom); ++share)
    for (std::size_t change = 0; change < std::size(kChangesFrom); ++change) {
      std::vector<double>& of = errors[share][change];
      std::ranges::sort(of);
      // Split conformal prediction (Vovk, Gammerman and Shafer, "Algorithmic Learning in a Random World", 2005): the
      // next error is below the ceil(0.9 (n + 1))-th of n with probability 0.9.
      const auto rank = static_cast<std::size_t>(std::ceil(kHeld * static_cast<double>(of.size() + 1)));
      fitted.push_back({kSharesFrom[share], kChangesFrom[change],
                        of.empty() ? 1 : Rounded(of[std::min(rank, of.size()) - 1]), static_cast<int>(of.size())});
    }
  return fitted;
}

std::string ModelErrorText(const std::vector<ModelError>& errors) {
  std::string text =
      "// Made by planted_test with CULPRIT_UPDATE_GOLDEN=1 from the recordings that ship: from_share, from_change, "
      "half_width, parts.\n";
  for (const ModelError& e : errors)
    text += fmt::format("{{{}, {}, {}, {}}},\n", e.from_share, e.from_change, e.half_width, e.parts);
  return text;
}

Coverage LeavingFamilyOut(const std::vector<Residual>& residuals, const std::function<bool(const Residual&)>& of) {
  const auto family_of = [](const Residual& r) { return r.pair.substr(0, r.pair.find('_')); };
  std::map<std::string, std::vector<Residual>> others;
  for (const Residual& r : residuals) others.try_emplace(family_of(r));
  for (auto& [family, rest] : others)
    std::ranges::copy_if(residuals, std::back_inserter(rest), [&](const auto& r) { return family_of(r) != family; });
  Coverage coverage;
  for (auto& [family, rest] : others) {
    const std::vector<ModelError> fitted = FitModelErrors(rest);
    for (const Residual& r : residuals) {
      if (family_of(r) != family || !of(r)) continue;
      ++coverage.parts;
      coverage.held += BeyondScatter(r) <= RowOf(fitted, r.size).half_width;
    }
  }
  return coverage;
}

}  // namespace culprit::testing
