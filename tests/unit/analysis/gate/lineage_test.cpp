// SPDX-License-Identifier: Apache-2.0
#include "analysis/gate/lineage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/launch/compare.h"
#include "db/error.h"

namespace culprit {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

StageRecord Stage(std::string id, std::string parent, std::string family = "f") {
  StageRecord stage;
  stage.id = std::move(id);
  stage.parent = std::move(parent);
  stage.family = std::move(family);
  return stage;
}

//      a            x
//     / \           |
//    b   c          y (its parent is of family f)
//    |
//    d
const std::vector<StageRecord> kStages = {Stage("d", "b"), Stage("a", ""), Stage("b", "a"),
                                          Stage("c", "a"), Stage("x", ""), Stage("y", "x", "g")};

std::vector<std::string> Path(const std::vector<StageRecord>& stages, std::vector<std::string> names) {
  std::vector<std::string> path;
  const Lineage lineage = Chain(stages, names);
  EXPECT_FALSE(lineage.is_tree);
  for (std::size_t i = 0; i < lineage.members.size(); ++i) {
    const Member& member = lineage.members[i];
    EXPECT_EQ(member.base, i == 0 ? "" : lineage.members[i - 1].stage);
    EXPECT_EQ(member.depth, 0);
    path.push_back(member.stage);
  }
  return path;
}

std::string Refusal(const std::vector<StageRecord>& stages, std::vector<std::string> names) {
  try {
    Chain(stages, names);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Chain, OfTwoNamesFollowsParentsDown) { EXPECT_THAT(Path(kStages, {"a", "d"}), ElementsAre("a", "b", "d")); }

TEST(Chain, OfTwoNamesFollowsParentsUp) { EXPECT_THAT(Path(kStages, {"d", "a"}), ElementsAre("d", "b", "a")); }

TEST(Chain, OfTwoBranchesPassesTheAncestorOfBoth) {
  EXPECT_THAT(Path(kStages, {"d", "c"}), ElementsAre("d", "b", "a", "c"));
}

TEST(Chain, OfMoreNamesTakesExactlyTheseSteps) {
  EXPECT_THAT(Path(kStages, {"a", "d", "c"}), ElementsAre("a", "d", "c"));
  EXPECT_THAT(Path(kStages, {"a", "x", "a"}), ElementsAre("a", "x", "a"));
}

TEST(Chain, ThatNothingConnectsSaysWhatTheParentsAre) {
  const std::string text = Refusal(kStages, {"d", "y"});
  EXPECT_THAT(text, HasSubstr("no path of parents connects d and y"));
  EXPECT_THAT(text, HasSubstr("d was changed from b, that from a"));
  EXPECT_THAT(text, HasSubstr("y was changed from x"));
}

TEST(Chain, SaysThatTheRunLacksAParent) {
  EXPECT_THAT(Refusal({Stage("a", "gone"), Stage("b", "")}, {"a", "b"}),
              HasSubstr("a was changed from gone, which this run does not have, and b has no parent"));
}

TEST(Chain, RefusesAStepFromAStageToItself) {
  EXPECT_THAT(Refusal(kStages, {"a", "a"}), HasSubstr("no step away from itself"));
  EXPECT_THAT(Refusal(kStages, {"a", "b", "b"}), HasSubstr("b is no step away from itself"));
  EXPECT_THAT(Refusal(kStages, {"a"}), HasSubstr("two kernels"));
}

TEST(Chain, EndsWhereParentsNameOneAnother) {
  const std::vector<StageRecord> ring = {Stage("a", "b"), Stage("b", "a"), Stage("c", "")};
  EXPECT_THAT(Path(ring, {"a", "b"}), ElementsAre("a", "b"));
  EXPECT_THAT(Refusal(ring, {"a", "c"}), HasSubstr("no path"));
}

TEST(FamilyTree, HasEveryStageBelowItsParent) {
  const Lineage tree = FamilyTree(kStages, "f");
  std::vector<std::string> lines;
  for (const Member& m : tree.members) lines.push_back(std::to_string(m.depth) + m.stage + "<" + m.base);
  EXPECT_TRUE(tree.is_tree);
  EXPECT_THAT(lines, ElementsAre("0a<", "1b<a", "2d<b", "1c<a", "0x<"));
}

TEST(FamilyTree, HasAParentOfAnotherFamilyForARoot) {
  const Lineage tree = FamilyTree(kStages, "g");
  ASSERT_EQ(tree.members.size(), 2u);
  EXPECT_EQ(tree.members[0].stage, "x");
  EXPECT_EQ(tree.members[1].base, "x");
}

TEST(FamilyTree, WithoutAStepIsRefused) {
  EXPECT_THROW(FamilyTree(std::vector{Stage("a", ""), Stage("b", "")}, "f"), Error);
}

TEST(FactorChanges, AreThoseThatDifferAndThoseThatOneSideDoesNotState) {
  StageRecord base, candidate;
  base.factors = {{"loop", "k"}, {"tile", "8"}, {"padding", "none"}};
  candidate.factors = {{"loop", "m"}, {"tile", "8"}, {"unroll", "4"}};
  std::vector<std::string> texts;
  for (const FactorChange& change : FactorChanges(base, candidate)) texts.push_back(ToText(change));
  // A stated "none" is stated: as view edge counts it.
  EXPECT_THAT(texts, ElementsAre("loop: k => m", "padding: none => none", "unroll: none => 4"));
  EXPECT_TRUE(FactorChanges(base, base).empty());
}

}  // namespace
}  // namespace culprit
