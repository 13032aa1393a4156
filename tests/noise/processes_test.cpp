// SPDX-License-Identifier: Apache-2.0
// How often the verdict is wrong about several processes a side, where noise lasts as long as a process or longer.
// CULPRIT_FRESH_SEEDS=N judges N times as many pairs, with new seeds, and prints the results.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "tests/noise/process_model.h"
#include "tests/noise/tally.h"

namespace culprit::testing {
namespace {

constexpr NoiseFloor kFloor{0.010, "H100", 0.014, 0.0035};
constexpr int kPairs = 1000;

int Times() {
  const char* times = std::getenv("CULPRIT_FRESH_SEEDS");
  return times == nullptr ? 0 : std::max(1, std::atoi(times));
}

struct Asked {
  int processes;
  double slowdown = 0;
  Order order = Order::kForthAndBack;
  Recorded recorded = Recorded::kInTurns;
};

std::vector<Sample> AsOneProcess(std::vector<Sample> samples) {
  for (Sample& s : samples) s.process = 0;
  return samples;
}

Tally CountPairs(const ProcessModel& model, const Asked& asked, bool pooled = false) {
  std::mt19937_64 random(Times() > 0 ? std::random_device()() : 2026);
  Tally tally;
  for (int i = 0; i < kPairs * std::max(1, Times()); ++i) {
    auto [base, candidate] = RecordInTurns(model, asked.processes, asked.order, asked.slowdown, random);
    if (pooled) base = AsOneProcess(std::move(base)), candidate = AsOneProcess(std::move(candidate));
    tally.Count(VerdictOn(base, candidate, kFloor, asked.recorded), asked.slowdown > 0 ? Speed::kSlower : Speed::kSame,
                std::string(model.name));
  }
  tally.wrong.clear();  // a thousand sentences
  if (Times() > 0)
    fmt::print("{:36} {:2} processes, {} %: {} of {} different, {} slower\n", model.name, asked.processes,
               100 * asked.slowdown, tally.Different(), tally.pairs, tally.speeds[Speed::kSlower]);
  return tally;
}

const ProcessModel& Named(std::string_view name) {
  for (const ProcessModel& model : ProcessModels())
    if (model.name == name) return model;
  throw std::runtime_error("no such model");
}

TEST(SeveralProcesses, AtMostOneInAHundredOfTheSameKernelIsDifferentWhateverSticksOrDrifts) {
  for (const ProcessModel& model : ProcessModels())
    for (const int processes : {5, 8, 16})
      for (const Order order : {Order::kForthAndBack, Order::kAlternating}) {
        const Tally tally = CountPairs(model, {processes, 0, order});
        EXPECT_LE(tally.Different(), tally.pairs / 100) << model.name << ", " << processes << ": " << tally;
      }
}

// Verdicts from samples alone are often wrong, which is the reason for using processes.
TEST(SeveralProcesses, SamplesOfOneProcessTakeAModeForADifference) {
  for (const char* mode : {"a mode of 1.6 %", "a mode of 5 %"}) {
    const Tally tally = CountPairs(Named(mode), {1});
    EXPECT_GT(tally.Different(), tally.pairs / 3) << mode << ": " << tally;
    EXPECT_GT(CountPairs(Named(mode), {8}, true).Different(), tally.pairs / 100) << mode << ", pooled";
  }
}

// The table in analysis/judge/difference/verdict.h.
TEST(SeveralProcesses, FindWhatTheHeaderSaysInNineOfTenCases) {
  const struct {
    const char* model;
    double slowdown;
    int processes;
  } kFound[] = {
      {"quiet processes", 0.01, 5}, {"quiet processes", 0.02, 5}, {"quiet processes", 0.05, 5},
      {"wide processes", 0.01, 14}, {"wide processes", 0.02, 5},  {"wide processes", 0.05, 5},
      {"a mode of 1.6 %", 0.02, 5}, {"a mode of 1.6 %", 0.05, 5}, {"a mode of 5 %", 0.05, 16},
      {"a drift of 3 %", 0.01, 20}, {"a drift of 3 %", 0.02, 8},  {"a mode of 1.6 % and a drift of 2 %", 0.02, 10},
  };
  for (const auto& [model, slowdown, processes] : kFound) {
    const Tally tally = CountPairs(Named(model), {processes, slowdown});
    EXPECT_GE(tally.Share(Speed::kSlower), 0.9) << model << ", " << slowdown << ", " << processes << ": " << tally;
    EXPECT_EQ(tally.Share(Speed::kFaster), 0) << model << ", " << slowdown << ", " << processes << ": " << tally;
  }
  for (const auto& [model, slowdown] : {std::pair("a mode of 1.6 %", 0.01), std::pair("a mode of 5 %", 0.02)}) {
    const Tally tally = CountPairs(Named(model), {32, slowdown});
    EXPECT_LT(tally.Share(Speed::kSlower), 0.9) << model << ": the table asks for too many";
  }
}

TEST(SeveralProcesses, RecordedApartFindTwoPercentAndNoLess) {
  for (const auto& [model, processes] : {std::pair("quiet processes", 5), std::pair("a mode of 1.6 %", 8)}) {
    const Asked apart{processes, 0.02, Order::kForthAndBack, Recorded::kApart};
    EXPECT_GE(CountPairs(Named(model), apart).Share(Speed::kSlower), 0.88) << model;
    const Asked one{processes, 0.01, Order::kForthAndBack, Recorded::kApart};
    EXPECT_LE(CountPairs(Named(model), one).Share(Speed::kSlower), 0.5) << model;
  }
}

}  // namespace
}  // namespace culprit::testing
