// SPDX-License-Identifier: Apache-2.0
// How often `culprit versus` calls a program different from itself, and which slow-downs it finds. The programs have
// three kernels whose processes scatter as in process_model.h; versus looks again and again until the answer is clear.
// CULPRIT_FRESH_SEEDS=N judges N times as many pairs, with new seeds, and prints the results.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <random>

#include "analysis/gate/ab.h"
#include "analysis/number/statistics.h"
#include "tests/noise/process_model.h"

namespace culprit::testing {
namespace {

constexpr int kPairs = 2000, kPairsToFind = 500, kKernels = 3;
constexpr double kFloor = 0.0035;  // between processes that took turns: machine.cpp

int Times() {
  const char* times = std::getenv("CULPRIT_FRESH_SEEDS");
  return times == nullptr ? 0 : std::max(1, std::atoi(times));
}

std::vector<double> Medians(const std::vector<Sample>& samples) {
  std::vector<std::vector<double>> by_process;
  for (const Sample& sample : samples) {
    by_process.resize(std::max<std::size_t>(by_process.size(), static_cast<std::size_t>(sample.process) + 1));
    by_process[static_cast<std::size_t>(sample.process)].push_back(sample.time_us);
  }
  std::vector<double> medians;
  for (auto& times : by_process) medians.push_back(Describe(std::move(times))->median);
  return medians;
}

struct Pair {
  std::array<std::array<std::vector<double>, kKernels + 1>, 2> sides;  // the program, then its kernels
};

Pair Draw(const ProcessModel& model, double slowdown, std::mt19937_64& random) {
  Pair pair;
  for (auto& side : pair.sides) side[0].assign(kAbMost, 0);
  for (std::size_t k = 1; k <= kKernels; ++k) {
    const auto drawn = RecordInTurns(model, kAbMost, Order::kForthAndBack, slowdown, random);
    pair.sides[0][k] = Medians(drawn.first);
    pair.sides[1][k] = Medians(drawn.second);
    for (auto& side : pair.sides)
      for (std::size_t i = 0; i < kAbMost; ++i) side[0][i] += side[k][i];
  }
  return pair;
}

struct Judged {
  bool different = false, slower = false, open = false;
  int processes = 0;
};

// Like AbTest, without a database.
Judged Judge(const Pair& pair, double limit) {
  std::vector<AbQuantity> quantities(kKernels + 1);
  std::vector<LookSpending> spending(1, LookSpending(kAbFalseAlarms / 2, kAbMost));
  spending.resize(kKernels + 1, LookSpending(kAbFalseAlarms / 2 / kKernels, kAbMost));
  Judged judged;
  for (int n = kAbFewest;; n = NextLook(n, kAbMost)) {
    const bool last = n == kAbMost;
    for (std::size_t q = 0; q <= kKernels; ++q) {
      const auto first = [&](std::size_t side) {
        const auto& all = pair.sides[side][q];
        return std::vector(all.begin(), all.begin() + n);
      };
      quantities[q].base_us = first(0), quantities[q].candidate_us = first(1), quantities[q].noise_floor = kFloor;
      LookAt(quantities[q], spending[q], limit, last);
    }
    const auto is = [&](auto... verdicts) {
      return std::ranges::any_of(quantities, [&](const AbQuantity& q) { return ((q.verdict == verdicts) || ...); });
    };
    judged.processes = n;
    judged.slower = is(AbVerdict::kSlower, AbVerdict::kWithinLimit);
    judged.open = !is(AbVerdict::kSlower) && is(AbVerdict::kOpen);
    judged.different = judged.slower || is(AbVerdict::kFaster);
    const bool clear = is(AbVerdict::kSlower) || std::ranges::all_of(quantities, &AbQuantity::is_clear);
    if (clear || last) return judged;
  }
}

struct Rates {
  double different = 0, slower = 0, open = 0, processes = 0;
};

Rates RatesOf(const ProcessModel& model, double slowdown) {
  std::mt19937_64 random(Times() > 0 ? std::random_device()() : 2026);
  const int pairs = (slowdown > 0 ? kPairsToFind : kPairs) * std::max(1, Times());
  Rates rates;
  for (int i = 0; i < pairs; ++i) {
    const Judged judged = Judge(Draw(model, slowdown, random), kAbUsualLimit);
    rates.different += judged.different, rates.slower += judged.slower, rates.open += judged.open;
    rates.processes += judged.processes;
  }
  rates = {rates.different / pairs, rates.slower / pairs, rates.open / pairs, rates.processes / pairs};
  fmt::print("| {} | {:g} % | {:.2f} % | {:.1f} % | {:.1f} % | {:.1f} |\n", model.name, 100 * slowdown,
             100 * rates.different, 100 * rates.slower, 100 * rates.open, rates.processes);
  return rates;
}

TEST(LooksAtProcesses, CallAProgramDifferentFromItselfNoMoreOftenThanPromised) {
  for (const ProcessModel& model : ProcessModels())
    EXPECT_LE(RatesOf(model, 0).different, kAbFalseAlarms) << model.name;
}

// Without the correction for several looks there would be more false alarms: the test would notice if it were missing.
TEST(LooksAtProcesses, WouldBeWrongOftenIfEachLookHadTheWholeRate) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal(0, 0.005);
  int wrong = 0;
  for (int i = 0; i < kPairs; ++i) {
    std::vector<double> base, candidate;
    bool different = false;
    for (int n = 1; n <= kAbMost; ++n) {
      base.push_back(std::exp(normal(random))), candidate.push_back(std::exp(normal(random)));
      const auto shift = EstimateShift(base, candidate, 1 - 0.05);
      different = different || (shift && (shift->low > 0 || shift->high < 0));
    }
    wrong += different;
  }
  EXPECT_GT(wrong, kPairs / 10);
}

TEST(LooksAtProcesses, SpendNoMoreThanTheRateWhateverTheySee) {
  for (const double rate : {0.005, 0.0025, 0.0005}) {
    LookSpending spending(rate, kAbMost);
    std::vector<double> base, candidate;
    double before = 0;
    for (int n = 1; n <= kAbMost; ++n) {
      base.push_back(1 + 0.001 * (n % 7)), candidate.push_back(1 + 0.001 * (n % 5));
      spending.Look(base, candidate, n == kAbMost);
      EXPECT_GE(spending.used(), before);
      EXPECT_LE(spending.used(), rate * (1 + 1e-12));
      before = spending.used();
    }
    EXPECT_GT(before, rate / 2) << "what may be used is used";
  }
  EXPECT_EQ(LeastForLooks(kAbFalseAlarms / 2), 6) << "2 of the 924 arrangements of 6 and 6 are 0.22 %";
}

TEST(LooksAtProcesses, FindSlowdowns) {
  const auto found = [](std::string_view name, double slowdown) {
    const auto models = ProcessModels();
    return RatesOf(*std::ranges::find(models, name, &ProcessModel::name), slowdown).slower;
  };
  EXPECT_GE(found("quiet processes", 0.01), 0.99);
  EXPECT_GE(found("quiet processes", 0.02), 0.99);
  EXPECT_GE(found("quiet processes", 0.05), 0.99);
  EXPECT_GE(found("wide processes", 0.01), 0.9);
  EXPECT_GE(found("wide processes", 0.02), 0.99);
  EXPECT_GE(found("wide processes", 0.05), 0.99);
  EXPECT_GE(found("a drift of 1 %", 0.02), 0.99);
  EXPECT_GE(found("a mode of 1.6 %", 0.02), 0.9);
  EXPECT_GE(found("a mode of 1.6 %", 0.05), 0.99);
}

}  // namespace
}  // namespace culprit::testing
