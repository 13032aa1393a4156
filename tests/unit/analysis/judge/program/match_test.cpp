// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/program/match.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace culprit {
namespace {

using Launches = std::vector<KernelRecord>;

KernelRecord Launch(const std::string& name, long calls, unsigned grid = 16, const std::string& nvtx = "",
                    const std::string& digest = "") {
  KernelRecord k;
  k.stage.id = k.launch.stage = name;
  k.launch.grid_x = grid;
  k.launch.grid_y = k.launch.grid_z = k.launch.block_y = k.launch.block_z = 1;
  k.launch.block_x = 128;
  k.cubin_digest = digest;
  ProgramLaunch& program = k.program.emplace();
  program.name = name;
  program.nvtx = nvtx;
  program.calls = calls;
  program.time_us = program.share_us = 1.0 * static_cast<double>(calls);
  return k;
}

// In the order in which the program made them.
Launches InOrder(Launches launches) {
  for (std::size_t i = 0; i < launches.size(); ++i) launches[i].program->first = static_cast<std::int64_t>(i);
  return launches;
}

// A group by what is in it, whatever the order in which launches were given.
using Content = std::pair<std::vector<std::string>, std::vector<std::string>>;
using Groups = std::multiset<std::pair<std::string, Content>>;

std::vector<std::string> Named(const Launches& launches, const std::vector<std::size_t>& places) {
  std::vector<std::string> names;
  for (const std::size_t i : places) {
    const KernelRecord& k = launches.at(i);
    names.push_back(k.program->name + "/" + std::to_string(k.launch.grid_x) + "/" + k.program->nvtx + "/" +
                    std::to_string(k.program->first));
  }
  return names;
}

Groups GroupsOf(const Launches& base, const Launches& candidate) {
  Groups groups;
  for (const MatchedLaunches& m : MatchLaunches(base, candidate))
    groups.insert({std::string(ToText(m.rule)), {Named(base, m.base), Named(candidate, m.candidate)}});
  return groups;
}

std::map<std::string, int> RulesOf(const Launches& base, const Launches& candidate) {
  std::map<std::string, int> rules;
  for (const MatchedLaunches& m : MatchLaunches(base, candidate)) ++rules[std::string(ToText(m.rule))];
  return rules;
}

using Rules = std::map<std::string, int>;

TEST(MatchLaunches, PairsWhatIsLaunchedAlikeBeforeAnythingElse) {
  const Launches base = InOrder({Launch("add", 10, 16), Launch("add", 10, 32), Launch("add", 10, 64)});
  const Launches candidate = InOrder({Launch("add", 10, 64), Launch("add", 10, 128), Launch("add", 10, 16)});
  EXPECT_EQ(GroupsOf(base, candidate), (Groups{{"same name, grid and range", {{"add/16//0"}, {"add/16//2"}}},
                                               {"same name, grid and range", {{"add/64//2"}, {"add/64//0"}}},
                                               {"same name, other launch", {{"add/32//1"}, {"add/128//1"}}}}));
}

TEST(MatchLaunches, FindsALaunchWhoseRangeWasRenamed) {
  const Launches base = InOrder({Launch("add", 10, 16, "step/forward"), Launch("add", 10, 16, "step/backward")});
  const Launches candidate = InOrder({Launch("add", 10, 16, "step/fwd"), Launch("add", 10, 16, "step/backward")});
  EXPECT_EQ(RulesOf(base, candidate), (Rules{{"same name, grid and range", 1}, {"same name, renamed range", 1}}));
}

TEST(MatchLaunches, KnowsCodeUnderAnotherName) {
  const Launches base = InOrder({Launch("gather", 10, 16, "", "aa")}),
                 candidate = InOrder({Launch("pick", 7, 8, "", "aa")});
  EXPECT_EQ(RulesOf(base, candidate), (Rules{{"renamed: same code", 1}}));
}

TEST(MatchLaunches, TakesCodeThatNobodyReadForNone) {
  EXPECT_EQ(RulesOf(InOrder({Launch("gather", 10)}), InOrder({Launch("pick", 10)})), (Rules{{"new", 1}, {"gone", 1}}));
}

TEST(MatchLaunches, KnowsANameThatChangedInPartBetweenTheSameNeighbours) {
  const auto program = [](const char* gemm) {
    return InOrder({Launch("load", 10), Launch(gemm, 10), Launch("store", 10)});
  };
  EXPECT_EQ(RulesOf(program("ampere_sgemm_128x64_nn"), program("ampere_sgemm_128x128_nn")),
            (Rules{{"same name, grid and range", 2}, {"renamed: alike", 1}}));
  // Elsewhere in the program it is another kernel.
  EXPECT_EQ(RulesOf(program("ampere_sgemm_128x64_nn"),
                    InOrder({Launch("ampere_sgemm_128x128_nn", 10), Launch("load", 10), Launch("store", 10)})),
            (Rules{{"same name, grid and range", 2}, {"new", 1}, {"gone", 1}}));
  // And so it is where it is called so many times more.
  Launches often = program("ampere_sgemm_128x128_nn");
  often[1].program->calls = 20;
  EXPECT_EQ(RulesOf(program("ampere_sgemm_128x64_nn"), often),
            (Rules{{"same name, grid and range", 2}, {"new", 1}, {"gone", 1}}));
  EXPECT_EQ(RulesOf(program("ampere_sgemm_128x64_nn"), program("softmax_forward")),
            (Rules{{"same name, grid and range", 2}, {"new", 1}, {"gone", 1}}));
}

TEST(MatchLaunches, TellsASplitLaunchFromMoreCallsOfItsKernel) {
  const Launches one = InOrder({Launch("add", 40, 16)});
  EXPECT_EQ(GroupsOf(one, InOrder({Launch("add", 25, 16), Launch("add", 15, 8)})),
            (Groups{{"split", {{"add/16//0"}, {"add/16//0", "add/8//1"}}}}));
  EXPECT_EQ(GroupsOf(InOrder({Launch("add", 25, 16), Launch("add", 15, 8)}), one),
            (Groups{{"fused", {{"add/16//0", "add/8//1"}, {"add/16//0"}}}}));
  EXPECT_EQ(RulesOf(one, InOrder({Launch("add", 40, 16), Launch("add", 15, 8)})),
            (Rules{{"same name, grid and range", 1}, {"new", 1}}));
}

TEST(MatchLaunches, GivesTheGroupsOfTwoProgramsWithoutAnyLaunch) {
  EXPECT_EQ(MatchLaunches({}, {}).size(), 0u);
  EXPECT_EQ(RulesOf(InOrder({Launch("add", 1)}), {}), (Rules{{"gone", 1}}));
}

TEST(MatchLaunches, TakesThousandsOfLaunchesOfOneKernel) {
  Launches base, candidate;
  for (unsigned i = 0; i < 3000; ++i) {
    base.push_back(Launch("add", 1, 2 * i + 1));
    candidate.push_back(Launch("add", 1, 2 * i + 2));
  }
  EXPECT_EQ(RulesOf(InOrder(base), InOrder(candidate)), (Rules{{"same name, other launch", 3000}}));
}

// --- whatever the programs are ---

std::string AName() {
  return *rc::gen::element<std::string>(
      "add", "softmax", "ampere_sgemm_128x64_nn", "ampere_sgemm_128x128_nn", "void at::native::reduce_kernel<4>(int)",
      "void at::native::reduce_kernel<8>(int)", "triton_poi_fused_add_1", "triton_poi_fused_add_2", "");
}

Launches AProgram() {
  Launches launches;
  const int n = *rc::gen::inRange(0, 12);
  std::set<std::tuple<std::string, unsigned, std::string>> seen;  // a class of launches stands in a run once
  for (int i = 0; i < n; ++i) {
    const std::string name = AName(), nvtx = *rc::gen::element<std::string>("", "step", "step/forward");
    const auto grid = *rc::gen::element(8u, 16u, 32u);
    if (!seen.emplace(name, grid, nvtx).second) continue;
    launches.push_back(Launch(name, *rc::gen::element(1, 10, 20, 40), grid, nvtx,
                              *rc::gen::element<std::string>("", "aa", "bb", "cc")));
  }
  return InOrder(launches);
}

Launches Shuffled(Launches launches) {
  for (std::size_t i = launches.size(); i > 1; --i)
    std::swap(launches[i - 1], launches[*rc::gen::inRange<std::size_t>(0, i)]);
  return launches;
}

RC_GTEST_PROP(MatchLaunches, HasEachLaunchOnce, ()) {
  const Launches base = AProgram(), candidate = AProgram();
  std::multiset<std::size_t> of_base, of_candidate;
  for (const MatchedLaunches& m : MatchLaunches(base, candidate)) {
    of_base.insert(m.base.begin(), m.base.end());
    of_candidate.insert(m.candidate.begin(), m.candidate.end());
    RC_ASSERT(m.base.size() <= 1 || m.candidate.size() <= 1);
    RC_ASSERT((m.rule == MatchRule::kNew) == m.base.empty());
    RC_ASSERT((m.rule == MatchRule::kGone) == m.candidate.empty());
    RC_ASSERT((m.rule == MatchRule::kSplit) == (m.candidate.size() > 1));
    RC_ASSERT((m.rule == MatchRule::kFused) == (m.base.size() > 1));
  }
  const auto each_once = [](const std::multiset<std::size_t>& places, std::size_t n) {
    return places.size() == n && std::set(places.begin(), places.end()).size() == n;
  };
  RC_ASSERT(each_once(of_base, base.size()));
  RC_ASSERT(each_once(of_candidate, candidate.size()));
}

RC_GTEST_PROP(MatchLaunches, DoesNotAskForTheOrderInWhichLaunchesAreGiven, ()) {
  const Launches base = AProgram(), candidate = AProgram();
  RC_ASSERT(GroupsOf(base, candidate) == GroupsOf(Shuffled(base), Shuffled(candidate)));
}

RC_GTEST_PROP(MatchLaunches, TurnsAroundWithTheRuns, ()) {
  const Launches base = AProgram(), candidate = AProgram();
  Groups turned;
  for (auto [rule, content] : GroupsOf(candidate, base)) {
    std::swap(content.first, content.second);
    const std::map<std::string, std::string> other = {
        {"new", "gone"}, {"gone", "new"}, {"split", "fused"}, {"fused", "split"}};
    turned.insert({other.contains(rule) ? other.at(rule) : rule, content});
  }
  RC_ASSERT(GroupsOf(base, candidate) == turned);
}

RC_GTEST_PROP(MatchLaunches, FindsEveryLaunchOfTheSameProgram, ()) {
  const Launches program = AProgram();
  for (const MatchedLaunches& m : MatchLaunches(program, program)) {
    RC_ASSERT(m.rule == MatchRule::kSame);
    RC_ASSERT(m.base == m.candidate);
  }
}

RC_GTEST_PROP(MatchLaunches, FindsEveryLaunchThatWasRenamedWithItsCode, ()) {
  Launches base = AProgram(), candidate;
  // Of one name one code, as a compiler makes them.
  std::map<std::string, std::string> codes;
  for (KernelRecord& k : base)
    k.cubin_digest = codes.try_emplace(k.program->name, "code" + std::to_string(codes.size())).first->second;
  candidate = base;
  for (KernelRecord& k : candidate) k.program->name = "other_" + codes.at(k.program->name);
  for (const MatchedLaunches& m : MatchLaunches(base, candidate)) {
    RC_ASSERT(m.rule == MatchRule::kSameCode);
    RC_ASSERT(m.base == m.candidate);
  }
}

RC_GTEST_PROP(MatchLaunches, FindsALaunchThatWasCutInTwo, ()) {
  const Launches base = AProgram();
  RC_PRE(!base.empty());
  const auto cut = *rc::gen::inRange<std::size_t>(0, base.size());
  RC_PRE(base[cut].program->calls > 1);
  Launches candidate = base;
  KernelRecord part = candidate[cut];
  part.launch.grid_x = 7;
  part.program->calls = candidate[cut].program->calls / 2;
  part.program->first = 100;
  candidate[cut].program->calls -= part.program->calls;
  candidate.push_back(part);
  for (const MatchedLaunches& m : MatchLaunches(base, candidate)) {
    RC_ASSERT(m.rule == MatchRule::kSame || m.rule == MatchRule::kSplit);
    if (m.rule == MatchRule::kSplit) RC_ASSERT(m.base == std::vector<std::size_t>{cut});
  }
}

RC_GTEST_PROP(MatchLaunches, MissesTheLaunchThatWasTakenAway, ()) {
  Launches base = AProgram();
  KernelRecord taken = Launch("taken away", 5);
  taken.program->first = *rc::gen::inRange(-1, 20);
  const Launches candidate = base;
  base.push_back(taken);
  for (const MatchedLaunches& m : MatchLaunches(base, candidate)) {
    RC_ASSERT((m.rule == MatchRule::kGone) == (m.base == std::vector<std::size_t>{base.size() - 1}));
    if (m.rule != MatchRule::kGone) RC_ASSERT(m.rule == MatchRule::kSame);
  }
}

}  // namespace
}  // namespace culprit
