// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/blame/pair_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

namespace culprit {
namespace {

using ::testing::UnorderedElementsAre;
using Lines = std::vector<CodeLine>;
using Content = std::map<std::string, int>;

CodeLine Line(int number, Content content, double cost_us = 1, int depth = 1, const std::string& file = "a.cu") {
  return {{file, number}, std::move(content), depth, cost_us};
}

const Content kLoad = {{"LDG", 1}, {"IMAD", 1}}, kMultiply = {{"FFMA", 8}}, kStore = {{"STS", 2}},
              kBarrier = {{"BAR", 1}}, kLocal = {{"LDL", 4}, {"FFMA", 8}};

TEST(PairLines, TakesEqualPlacesOfOneSourceForTheSameLineWhateverBecameOfIt) {
  const Lines base = {Line(10, kLoad), Line(11, kMultiply)}, candidate = {Line(10, kStore), Line(11, kLocal)};
  EXPECT_THAT(PairLines(base, candidate, true), UnorderedElementsAre(LinePair{0, 0}, LinePair{1, 1}));
}

TEST(PairLines, FollowsLinesThatAnEditMoved) {
  const Lines base = {Line(10, kLoad), Line(11, kLoad), Line(12, kMultiply)};
  const Lines candidate = {Line(9, kBarrier), Line(13, kLoad), Line(14, kLoad), Line(16, kMultiply)};
  EXPECT_THAT(PairLines(base, candidate, false),
              UnorderedElementsAre(LinePair{0, 1}, LinePair{1, 2}, LinePair{2, 3}, LinePair{-1, 0}));
}

TEST(PairLines, FindsTheSameWorkInAnotherBranchOfOneSource) {
  const Lines base = {Line(10, kLoad), Line(75, kMultiply, 50)}, candidate = {Line(10, kLoad), Line(114, kLocal, 90)};
  EXPECT_THAT(PairLines(base, candidate, true), UnorderedElementsAre(LinePair{0, 0}, LinePair{1, 1}));
}

TEST(PairLines, FindsLinesThatWereExchanged) {
  const Lines base = {Line(10, kLoad), Line(11, kMultiply)}, candidate = {Line(10, kMultiply), Line(11, kLoad)};
  EXPECT_THAT(PairLines(base, candidate, false), UnorderedElementsAre(LinePair{0, 1}, LinePair{1, 0}));
}

TEST(PairLines, LeavesAloneWhatHasNothingInCommon) {
  const Lines base = {Line(10, kLoad)}, candidate = {Line(11, kBarrier)};
  EXPECT_THAT(PairLines(base, candidate, true), UnorderedElementsAre(LinePair{0, -1}, LinePair{-1, 0}));
}

TEST(PairLines, GivesADoubtfulPairToThoseThatCostMost) {
  const Lines base = {Line(10, kMultiply, 70)}, candidate = {Line(20, kMultiply, 1), Line(30, kMultiply, 90)};
  EXPECT_THAT(PairLines(base, candidate, true), UnorderedElementsAre(LinePair{0, 1}, LinePair{-1, 0}));
}

// So many that not every line is held against every other: an edit moves them by less than what is left out.
TEST(PairLines, OfALongFileAreItsOwnAfterAnEdit) {
  constexpr int kLong = 8300, kMoved = 10;
  Lines base, candidate = {Line(1, kBarrier)};
  for (int number = 1; number <= kLong; ++number) {
    const Content content = {{"FFMA", 1 + number % 7}, {"LDS", 1 + number % 5}, {"IMAD", number % 3}};
    base.push_back(Line(number, content));
    candidate.push_back(Line(number + kMoved, content));
  }
  int together = 0;
  for (const LinePair& pair : PairLines(base, candidate, false)) together += pair.candidate == pair.base + 1;
  EXPECT_EQ(together, kLong + 1) << "each, and the barrier with none";
}

// Takes a share of the kernel's time, all of it by loads.
CodeLine Reading(int number, Content content, double share) {
  CodeLine line = Line(number, std::move(content), 100 * share);
  line.shares = {{"global_load", share}};
  return line;
}

TEST(PairLines, KeepsTheOrderOfLinesThatTakeTheTimeOfTheSameWork) {
  const Content fused = {{"LDG", 1}}, first = {{"LDG", 1}, {"FMNMX", 4}}, second = {{"LDG", 1}, {"MUFU", 8}};
  const Lines base = {Reading(46, fused, 0.5), Reading(47, fused, 0.4)};
  const Lines candidate = {Reading(53, first, 0.4), Reading(55, second, 0.5)};
  EXPECT_THAT(PairLines(base, candidate, true), UnorderedElementsAre(LinePair{0, 0}, LinePair{1, 1}));
}

// Whether these two alone are one line.
bool ArePaired(const CodeLine& base, const CodeLine& candidate) {
  return PairLines(Lines{base}, Lines{candidate}, false) == std::vector{LinePair{0, 0}};
}

TEST(PairLines, PairsLinesOfOneRoleWhereBothMatter) {
  EXPECT_TRUE(ArePaired(Reading(1, kLoad, 0.5), Reading(2, kBarrier, 0.05)));
  EXPECT_FALSE(ArePaired(Reading(1, kLoad, 0.5), Reading(2, kBarrier, 0.04)));
  CodeLine other = Reading(2, kBarrier, 0.5);
  other.shares = {{"global_load", 0.3}, {"shared_load", 0.2}};
  EXPECT_FALSE(ArePaired(Reading(1, kLoad, 0.5), other)) << "three fifths";
  other.shares = {{"global_load", 0.41}, {"shared_load", 0.09}};
  EXPECT_TRUE(ArePaired(Reading(1, kLoad, 0.5), other)) << "four fifths";
}

TEST(PairLines, IsBlindToUnrolling) {
  EXPECT_TRUE(ArePaired(Line(1, {{"FFMA", 8}, {"LDS", 2}}), Line(2, {{"FFMA", 64}, {"LDS", 16}})));
  EXPECT_FALSE(ArePaired(Line(1, kLoad), Line(2, kBarrier)));
}

rc::Gen<Lines> AnyLines() {
  static const std::vector<std::string> mnemonics = {"LDG", "FFMA", "STS", "BAR"};
  const auto line = rc::gen::apply(
      [](int number, int file, int first, int count, int depth, int cost) {
        return Line(number, {{mnemonics.at(static_cast<std::size_t>(first)), count}, {"MOV", 1}}, cost, depth,
                    file == 0 ? "a.cu" : "b.cuh");
      },
      rc::gen::inRange(1, 40), rc::gen::inRange(0, 2), rc::gen::inRange(0, 4), rc::gen::inRange(1, 5),
      rc::gen::inRange(0, 3), rc::gen::inRange(0, 100));
  return rc::gen::uniqueBy<Lines>(line, [](const CodeLine& l) { return std::pair(l.place.file, l.place.line); });
}

RC_GTEST_PROP(PairLinesProperties, EveryLineIsInExactlyOnePair, ()) {
  const Lines base = *AnyLines(), candidate = *AnyLines();
  const bool same_source = *rc::gen::arbitrary<bool>();
  std::multiset<int> of_base, of_candidate;
  for (const LinePair& pair : PairLines(base, candidate, same_source)) {
    RC_ASSERT(pair.base >= 0 || pair.candidate >= 0);
    if (pair.base >= 0) of_base.insert(pair.base);
    if (pair.candidate >= 0) of_candidate.insert(pair.candidate);
  }
  RC_ASSERT(of_base.size() == base.size());
  RC_ASSERT(of_candidate.size() == candidate.size());
  RC_ASSERT(std::set<int>(of_base.begin(), of_base.end()).size() == base.size());
  RC_ASSERT(std::set<int>(of_candidate.begin(), of_candidate.end()).size() == candidate.size());
}

RC_GTEST_PROP(PairLinesProperties, ALineIsItselfWhereverItsFileWasShiftedTo, (bool same_source)) {
  const Lines base = *AnyLines();
  const int shift = same_source ? 0 : *rc::gen::inRange(0, 100);
  Lines candidate = base;
  for (CodeLine& line : candidate) line.place.line += shift;
  for (const LinePair& pair : PairLines(base, candidate, same_source)) RC_ASSERT(pair.base == pair.candidate);
}

// The share of mnemonics that two lines have in common.
double InCommon(const CodeLine& a, const CodeLine& b) {
  const auto all = [](const CodeLine& line) {
    double sum = 0;
    for (const auto& [mnemonic, n] : line.content) sum += n;
    return sum;
  };
  double common = 0;
  for (const auto& [mnemonic, n] : a.content)
    if (const auto there = b.content.find(mnemonic); there != b.content.end())
      common += std::min(n / all(a), there->second / all(b));
  return common;
}

RC_GTEST_PROP(PairLinesProperties, NoPairIsOfLinesThatHaveLittleInCommonButOfOnePlace, ()) {
  const Lines base = *AnyLines(), candidate = *AnyLines();
  for (const LinePair& pair : PairLines(base, candidate, false))
    if (pair.base >= 0 && pair.candidate >= 0)
      RC_ASSERT(InCommon(base.at(static_cast<std::size_t>(pair.base)),
                         candidate.at(static_cast<std::size_t>(pair.candidate))) >= 0.5);
}

}  // namespace
}  // namespace culprit
