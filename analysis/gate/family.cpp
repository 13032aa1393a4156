// SPDX-License-Identifier: Apache-2.0
#include "analysis/gate/family.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <numeric>
#include <random>

namespace culprit {
namespace {

// 6 and 6 processes have 924 divisions, 8 and 8 have 12,870. If there are more than kMostDivisions, kRandomDivisions are
// drawn beside the observed one. A level of kFamilyAlarms is then 10 of them.
constexpr double kMostDivisions = 2'000;
constexpr int kRandomDivisions = 1'999;

// Differences between sums of the same numbers in another order are no differences.
constexpr double kSumRounding = 1e-9;

// Of a launch with fewer than two values on a side: no other is smaller.
constexpr double kNoStatistic = -std::numeric_limits<double>::infinity();

bool IsValue(double value) { return value > 0 && std::isfinite(value); }

// All processes: those of the base, then those of the candidate. 1: counted as the candidate's.
using Division = std::vector<char>;

// The logarithms of a launch's values, by process; NaN where a process has none.
class Member {
 public:
  Member(const FamilyMember& member, const std::vector<int>& base, const std::vector<int>& candidate)
      : least_variance_(member.least_scatter * member.least_scatter) {
    for (const int process : base) Add(member.base, process, 0);
    for (const int process : candidate) Add(member.candidate, process, std::log1p(member.allowance));
    for (const double value : values_)
      if (!std::isnan(value)) ++all_.n, all_.sum += value, all_.squares += value * value;
  }

  // How far the candidate lies above the base, in units of its scatter (Welch).
  double Statistic(const Division& division) const {
    Sums candidate;
    for (std::size_t i = 0; i < values_.size(); ++i)
      if (division[i] && !std::isnan(values_[i]))
        ++candidate.n, candidate.sum += values_[i], candidate.squares += values_[i] * values_[i];
    const Sums base = {all_.n - candidate.n, all_.sum - candidate.sum, all_.squares - candidate.squares};
    if (base.n < 2 || candidate.n < 2) return kNoStatistic;
    const double variance = base.VarianceOfMean() + candidate.VarianceOfMean() + least_variance_;
    return variance > 0 ? (candidate.sum / candidate.n - base.sum / base.n) / std::sqrt(variance) : 0;
  }

 private:
  struct Sums {
    int n = 0;
    double sum = 0, squares = 0;
    double VarianceOfMean() const { return std::max(0.0, squares - sum * sum / n) / (n - 1) / n; }
  };

  // Relative to the first value, so that squares of large times lose no digits.
  void Add(const std::map<int, double>& values, int process, double allowance) {
    const auto found = values.find(process);
    const bool known = found != values.end() && IsValue(found->second);
    if (known && std::isnan(first_)) first_ = std::log(found->second);
    values_.push_back(known ? std::log(found->second) - first_ - allowance : std::nan(""));
  }

  std::vector<double> values_;
  double first_ = std::nan("");
  Sums all_;
  double least_variance_;
};

double Divisions(std::size_t base, std::size_t candidate) {
  double divisions = 1;
  for (std::size_t i = 1; i <= candidate; ++i) divisions *= static_cast<double>(base + i) / static_cast<double>(i);
  return divisions;
}

// The observed division comes first in both.
void ForEachDivision(std::size_t base, std::size_t candidate, const std::function<void(const Division&)>& use) {
  Division division(base + candidate, 0);
  std::fill(division.begin() + static_cast<std::ptrdiff_t>(base), division.end(), '\1');
  if (Divisions(base, candidate) <= kMostDivisions) {
    do use(division);
    while (std::next_permutation(division.begin(), division.end()));
    return;
  }
  use(division);
  std::mt19937_64 random(division.size());  // the same comparison has the same answer each time
  for (int i = 0; i < kRandomDivisions; ++i) {
    std::shuffle(division.begin(), division.end(), random);
    use(division);
  }
}

std::vector<int> ProcessesOf(std::span<const FamilyMember> members, std::map<int, double> FamilyMember::*side) {
  std::map<int, double> processes;
  for (const FamilyMember& member : members) processes.insert((member.*side).begin(), (member.*side).end());
  std::vector<int> numbers;
  for (const auto& [process, value] : processes) numbers.push_back(process);
  return numbers;
}

bool IsEnough(const FamilyMember& member) {
  const auto values = [](const std::map<int, double>& side) {
    return std::ranges::count_if(side, [](const auto& of_process) { return IsValue(of_process.second); });
  };
  return std::min(values(member.base), values(member.candidate)) >= kFewestProcesses;
}

}  // namespace

std::vector<double> FamilyLevels(std::span<const FamilyMember> members) {
  std::vector<double> levels(members.size(), 1);
  const std::vector<int> base = ProcessesOf(members, &FamilyMember::base),
                         candidate = ProcessesOf(members, &FamilyMember::candidate);
  struct Ranked {
    std::size_t at;
    Member member;
    double observed = 0;
    int reached = 0;  // divisions in which it or one behind it reaches what it has
  };
  std::vector<Ranked> ranked;
  for (std::size_t i = 0; i < members.size(); ++i)
    if (IsEnough(members[i])) ranked.push_back({i, Member(members[i], base, candidate)});
  if (ranked.empty()) return levels;
  int divisions = 0;
  ForEachDivision(base.size(), candidate.size(), [&](const Division& division) {
    if (divisions++ == 0) {
      for (Ranked& one : ranked) one.observed = one.member.Statistic(division);
      std::ranges::stable_sort(ranked, std::greater(), &Ranked::observed);
    }
    double largest = kNoStatistic;
    for (auto one = ranked.rbegin(); one != ranked.rend(); ++one) {
      largest = std::max(largest, one->member.Statistic(division));
      one->reached += largest >= one->observed - kSumRounding * std::abs(one->observed);
    }
  });
  double level = 0;
  for (const Ranked& one : ranked) {
    level = std::max(level, static_cast<double>(one.reached) / divisions);
    levels[one.at] = level;
  }
  return levels;
}

}  // namespace culprit
