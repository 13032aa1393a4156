// SPDX-License-Identifier: Apache-2.0
// Judges pairs of programs again that were measured on an H200 (ab_h200.csv, by script/ab-rates), as `culprit versus`
// does and in other ways: how often is a program called different from itself, and how many slow-downs are found?
// Prints the table of docs/evidence/versus.md.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

#include "analysis/gate/ab.h"

namespace culprit::testing {
namespace {

constexpr double kFloor = 0.0035;  // between processes that took turns: machine.cpp
constexpr std::size_t kBlock = kAbFewest;

// The times that `versus` measured for one pair.
struct Pair {
  std::string program, gpu, loops, verdict;
  int slower_pct = 0;
  std::map<std::string, AbQuantity> quantities;  // "program", then kernels
};

std::vector<double> Numbers(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<double>(in), {}};
}

const std::vector<Pair>& Pairs() {
  static const std::vector<Pair> pairs = [] {
    std::ifstream in(CULPRIT_SOURCE_DIR "/tests/noise/ab_h200.csv");
    std::map<int, Pair> by_number;
    std::string line;
    std::getline(in, line);
    while (std::getline(in, line)) {
      std::vector<std::string> cells;
      std::istringstream row(line);
      for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
      Pair& pair = by_number[std::stoi(cells.at(0))];
      pair.program = cells.at(1), pair.slower_pct = std::stoi(cells.at(2));
      pair.gpu = cells.at(4), pair.loops = cells.at(5), pair.verdict = cells.at(6);
      AbQuantity& quantity = pair.quantities[cells.at(7)];
      if (cells.at(7) != "program") quantity.stage = cells.at(7);
      (cells.at(8) == "base" ? quantity.base_us : quantity.candidate_us) = Numbers(cells.at(9));
    }
    std::vector<Pair> all;
    for (auto& [number, pair] : by_number) all.push_back(std::move(pair));
    return all;
  }();
  return pairs;
}

struct Counts {
  int looks = 0, slower = 0, faster = 0;
  void Add(AbVerdict verdict) {
    ++looks;
    slower += verdict == AbVerdict::kSlower || verdict == AbVerdict::kWithinLimit;
    faster += verdict == AbVerdict::kFaster;
  }
  int Different() const { return slower + faster; }
};

// One look at `kBlock` processes of each side, beginning with `from`, with the whole rate of false alarms.
AbVerdict Judge(const AbQuantity& quantity, std::size_t from, double floor) {
  const auto part = [&](const std::vector<double>& all) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(from);
    return std::vector<double>(begin, begin + kBlock);
  };
  AbQuantity block;
  block.base_us = part(quantity.base_us), block.candidate_us = part(quantity.candidate_us), block.noise_floor = floor;
  LookSpending spending(kAbFalseAlarms / 2, kBlock);
  LookAt(block, spending, kAbUsualLimit, true);
  return block.verdict;
}

std::size_t Processes(const AbQuantity& quantity) {
  return std::min(quantity.base_us.size(), quantity.candidate_us.size());
}

// The same program on both sides: groups of eight processes of a pair, each process used once.
Counts Blocks(double floor) {
  Counts counts;
  for (const Pair& pair : Pairs())
    for (const auto& [name, quantity] : pair.quantities)
      for (std::size_t from = 0; pair.slower_pct == 0 && from + kBlock <= Processes(quantity); from += kBlock)
        counts.Add(Judge(quantity, from, floor));
  return counts;
}

// Pairs that are slower by this much: found in the program or in its kernel.
Counts Found(int slower_pct) {
  Counts counts;
  for (const Pair& pair : Pairs()) {
    if (pair.slower_pct != slower_pct) continue;
    for (std::size_t from = 0; from + kBlock <= Processes(pair.quantities.at("program")); from += kBlock) {
      AbVerdict verdict = AbVerdict::kOpen;
      for (const auto& [name, quantity] : pair.quantities)
        if (const AbVerdict of = Judge(quantity, from, kFloor); verdict == AbVerdict::kOpen || of < verdict)
          verdict = of;
      counts.Add(verdict);
    }
  }
  return counts;
}

// The same program on both sides: any eight consecutive processes on a GPU, also of two pairs.
Counts Windows(double floor) {
  std::map<std::vector<std::string>, AbQuantity> series;
  for (const Pair& pair : Pairs())
    for (const auto& [name, quantity] : pair.quantities) {
      if (pair.slower_pct != 0 || pair.loops != "1") continue;
      AbQuantity& all = series[{pair.program, pair.gpu, name}];
      all.base_us.insert(all.base_us.end(), quantity.base_us.begin(), quantity.base_us.end());
      all.candidate_us.insert(all.candidate_us.end(), quantity.candidate_us.begin(), quantity.candidate_us.end());
    }
  Counts counts;
  for (const auto& [name, quantity] : series)
    for (std::size_t from = 0; from + kBlock <= Processes(quantity); ++from) counts.Add(Judge(quantity, from, floor));
  return counts;
}

void Print(const std::string& what, const Counts& counts) {
  fmt::print("| {} | {} | {} | {} |\n", what, counts.looks, counts.slower, counts.faster);
}

TEST(RecordedAb, CallsNoProgramDifferentFromItself) {
  Counts counts;
  for (const Pair& pair : Pairs()) {
    if (pair.slower_pct != 0) continue;
    ++counts.looks;
    EXPECT_TRUE(pair.verdict == "the same" || pair.verdict == "open") << pair.verdict;
  }
  Print("pairs of `ab`", counts);
  EXPECT_GE(counts.looks, 200);
}

TEST(RecordedAb, CallsNoneDifferentWhateverProcessesItSees) {
  const Counts blocks = Blocks(kFloor), windows = Windows(kFloor), bare = Blocks(0), bare_windows = Windows(0);
  Print("eight and eight, each process once", blocks);
  Print("any eight and eight in a row", windows);
  Print("eight and eight, without the noise floor", bare);
  Print("any in a row, without the noise floor", bare_windows);
  EXPECT_GE(blocks.looks, 700);
  EXPECT_LE(blocks.Different(), kAbFalseAlarms * blocks.looks);
  EXPECT_LE(windows.Different(), kAbFalseAlarms * windows.looks);
}

TEST(RecordedAb, FindsWhatIsSlower) {
  for (const int slower_pct : {1, 2, 5}) {
    const Counts found = Found(slower_pct);
    Print(fmt::format("{} % slower, eight and eight", slower_pct), found);
    EXPECT_GT(found.looks, 0);
    EXPECT_EQ(found.slower, found.looks) << slower_pct;
  }
}

}  // namespace
}  // namespace culprit::testing
