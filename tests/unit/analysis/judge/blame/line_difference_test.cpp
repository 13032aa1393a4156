// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/blame/line_difference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tests/support/sass_builder.h"

namespace culprit {
namespace {

using testing::Assemble;
using ::testing::ElementsAre;
using ::testing::Pair;
using testing::Sass;
using Us = std::map<std::string, double>;

// An instruction of the line `line` of a.cu (0: of no known line) and what is blamed on it.
struct Placed {
  Sass sass;
  int line = 0;
  Us blamed_us = {};
  Us waiting_us = {};
  double met_us = 0;
};

// `trips` of each block; none given: 1, not counted.
KernelCosts Kernel(const std::vector<Placed>& all, const std::vector<double>& trips = {}, double unknown_us = 0) {
  KernelCosts kernel{.unknown_us = unknown_us};
  FunctionCosts function;
  function.code.function = "k";
  std::vector<Sass> code;
  kernel.time_us = unknown_us;
  for (const Placed& p : all) {
    code.push_back(p.sass);
    MachineInstruction& instruction = function.code.instructions.emplace_back();
    if (p.line > 0) instruction.frames = {{"a.cu", p.line}};
    function.costs.push_back({p.waiting_us, p.blamed_us, p.met_us});
    kernel.time_us += function.costs.back().Blamed();
  }
  function.decoded = Assemble(code);
  function.graph = MakeFlowGraph(function.decoded);
  function.trips.resize(function.graph.blocks.size(), {1, false});
  for (std::size_t b = 0; b < trips.size(); ++b) function.trips.at(b) = {trips[b], true};
  kernel.functions = {std::move(function)};
  kernel.samples = 10'000;
  return kernel;
}

const DifferentLine& At(const LineDifferences& all, int candidate_line) {
  for (const DifferentLine& line : all.lines)
    if (line.candidate && line.candidate->frame.line == candidate_line) return line;
  throw std::out_of_range("no such line of the candidate");
}

TEST(CompareLines, TellsWhatALineCostsOnBothSidesAndTheLargestFirst) {
  const KernelCosts base = Kernel(
      {{Sass("LDG"), 10, {{"long_scoreboard", 30}}}, {Sass("FFMA"), 12, {{"wait", 5}}, {{"long_scoreboard", 30}}}});
  const KernelCosts candidate = Kernel(
      {{Sass("LDG"), 10, {{"long_scoreboard", 33}}}, {Sass("FFMA"), 12, {{"wait", 45}}, {{"long_scoreboard", 33}}}});
  const LineDifferences all = CompareLines(base, candidate, true);
  ASSERT_EQ(all.lines.size(), 2);
  EXPECT_EQ(all.lines[0].candidate->frame.line, 12);
  EXPECT_EQ(all.lines[0].base_us, 5);
  EXPECT_EQ(all.lines[0].candidate_us, 45);
  EXPECT_THAT(all.lines[0].blamed_for, ElementsAre(Pair(Pair(Operation::kFp32, "wait"), 40)));
  EXPECT_THAT(all.lines[0].waiting_at, ElementsAre(Pair(Pair(Operation::kFp32, "long_scoreboard"), 3)));
  EXPECT_EQ(all.lines[1].DeltaUs(), 3);
}

TEST(CompareLines, GivesWhatIsNewAndWhatIsGoneALineOfItsOwn) {
  const LineDifferences all =
      CompareLines(Kernel({{Sass("LDG"), 10, {{"wait", 3}}}, {Sass("MUFU"), 12, {{"wait", 7}}}}),
                   Kernel({{Sass("LDG"), 10, {{"wait", 3}}}, {Sass("STL"), 14, {{"wait", 9}}}}), true);
  ASSERT_EQ(all.lines.size(), 3);
  EXPECT_EQ(all.lines[0].base, std::nullopt);
  EXPECT_EQ(all.lines[0].DeltaUs(), 9);
  EXPECT_EQ(all.lines[1].candidate, std::nullopt);
  EXPECT_EQ(all.lines[1].DeltaUs(), -7);
}

TEST(CompareLines, GathersCodeWithoutLinesByWhatItDoesAndItsLoop) {
  // Two loads in a loop and one behind it.
  const LineDifferences all = CompareLines(Kernel({}),
                                           Kernel({{Sass("LDG"), 0, {{"wait", 1}}},
                                                   {Sass("LDG"), 0, {{"wait", 2}}},
                                                   {Sass("BRA").If().To(0), 0, {{"wait", 16}}},
                                                   {Sass("LDG"), 0, {{"wait", 8}}},
                                                   {Sass("EXIT"), 0}}),
                                           true);
  std::map<std::string, double> parts;
  for (const DifferentLine& line : all.lines) {
    EXPECT_EQ(line.candidate->frame.line, 0);
    parts[line.candidate->part] = line.DeltaUs();
  }
  EXPECT_EQ(parts.at("global load in loop 1 of k"), 3);
  EXPECT_EQ(parts.at("branch in loop 1 of k"), 16);
  EXPECT_EQ(parts.at("global load outside loops of k"), 8);
}

TEST(CompareLines, SaysWhetherTheCodeIsTheSame) {
  KernelCosts a = Kernel({{Sass("LDG"), 10}}), b = a;
  EXPECT_FALSE(CompareLines(a, b, true).same_code) << "the digest is not known";
  a.functions[0].code.digest = b.functions[0].code.digest = "one";
  EXPECT_TRUE(CompareLines(a, b, true).same_code);
  b.functions[0].code.digest = "two";
  EXPECT_FALSE(CompareLines(a, b, true).same_code);
  EXPECT_FALSE(CompareLines({}, {}, true).same_code);
}

// --- barriers ---

// Line 10 makes others wait 80 us at the barriers of line 20, each visited so often; or met there in less, because some
// of that was for matrix products.
KernelCosts WithBarriers(std::vector<double> visits, double issued_us = 0, double met_us = 80) {
  std::vector<Placed> all = {{Sass("LDG"), 10, {{"barrier", 80}, {"long_scoreboard", 20}}}};
  for (std::size_t n = 0; n < visits.size(); ++n) {
    all.push_back({Sass("BAR"), 20 + static_cast<int>(n), {}, {}, met_us / static_cast<double>(visits.size())});
    if (issued_us > 0) all.back().waiting_us["selected"] = issued_us;
    all.push_back({Sass("BRA").To(static_cast<int>(all.size()) + 1), 10});  // each in a block of its own
  }
  all.push_back({Sass("EXIT"), 11});
  if (issued_us > 0) return Kernel(all);
  visits.push_back(1);
  return Kernel(all, visits);
}

TEST(CompareLines, BlamesBarriersForWhatTheirAdditionalVisitsWaited) {
  const LineDifferences all = CompareLines(WithBarriers({25}), WithBarriers({100}), true);
  EXPECT_NEAR(At(all, 20).candidate_us, 60, 1e-9) << "three visits of four are additional";
  EXPECT_EQ(At(all, 20).base_us, 0);
  EXPECT_NEAR(At(all, 10).candidate_us, 40, 1e-9);
  EXPECT_EQ(At(all, 10).base_us, 100) << "the side with fewer keeps what it has";
  EXPECT_NEAR(At(all, 20).blamed_for.at({Operation::kBarrier, "barrier"}), 60, 1e-9);
}

TEST(CompareLines, BlamesBarriersForNoMoreThanWarpsWaitedInThem) {
  const LineDifferences all = CompareLines(WithBarriers({25}), WithBarriers({100}, 0, 20), true);
  EXPECT_NEAR(At(all, 20).candidate_us, 15, 1e-9);
  EXPECT_NEAR(At(all, 10).candidate_us, 85, 1e-9);
}

TEST(CompareLines, BlamesEachBarrierByHowOftenItWasVisited) {
  const LineDifferences all = CompareLines(WithBarriers({}), WithBarriers({30, 10}), true);
  EXPECT_NEAR(At(all, 20).candidate_us, 60, 1e-9);
  EXPECT_NEAR(At(all, 21).candidate_us, 20, 1e-9);
  EXPECT_NEAR(At(all, 10).candidate_us, 20, 1e-9);
}

TEST(CompareLines, BlamesBarriersOfTheBaseThatTheCandidateHasNot) {
  const LineDifferences all = CompareLines(WithBarriers({100}), WithBarriers({}), true);
  const auto gone = std::ranges::find(all.lines, std::optional<CodePlace>(), &DifferentLine::candidate);
  ASSERT_NE(gone, all.lines.end());
  EXPECT_EQ(gone->base->frame.line, 20);
  EXPECT_EQ(gone->DeltaUs(), -80);
}

TEST(CompareLines, LeavesWhatIsLateAloneWhereBothVisitAsManyBarriers) {
  for (const LineDifferences& all : {CompareLines(WithBarriers({100}), WithBarriers({100}), true),
                                     CompareLines(WithBarriers({100}), WithBarriers({60, 40}), true)}) {
    EXPECT_EQ(At(all, 20).candidate_us, 0);
    EXPECT_EQ(At(all, 10).candidate_us, 100);
  }
}

TEST(CompareLines, TakesSamplesForVisitsOnlyWhereTheyAreMoreBeyondChance) {
  // 10,000 samples in 100 us: 1 us are a hundred of them, with a deviation of 10.
  const LineDifferences by_chance = CompareLines(WithBarriers({1}, 1), WithBarriers({1}, 1.3), true);
  EXPECT_EQ(At(by_chance, 20).candidate_us, 0);
  const LineDifferences more = CompareLines(WithBarriers({1}, 1), WithBarriers({1}, 4), true);
  EXPECT_NEAR(At(more, 20).candidate_us, 60, 1e-9);
}

// A barrier of the block and one of the cluster, at which warps met in 30 and 50 us, behind a load that made them late.
KernelCosts WithBothKinds(double block_visits, double cluster_visits) {
  return Kernel({{Sass("LDG"), 10, {{"barrier", 80}, {"long_scoreboard", 20}}},
                 {Sass("BAR"), 20, {}, {}, 30},
                 {Sass("BRA").To(3), 10},
                 {Sass("UCGABAR_WAIT"), 21, {}, {}, 50},
                 {Sass("EXIT"), 11}},
                {block_visits, cluster_visits});
}

TEST(CompareLines, BlamesBarriersOfABlockAndOfAClusterForTheirOwnVisits) {
  const LineDifferences more_of_block = CompareLines(WithBothKinds(25, 4), WithBothKinds(100, 4), true);
  EXPECT_NEAR(At(more_of_block, 20).candidate_us, 22.5, 1e-9) << "three quarters of 30 us";
  EXPECT_EQ(At(more_of_block, 21).candidate_us, 0);
  const LineDifferences more_of_cluster = CompareLines(WithBothKinds(25, 1), WithBothKinds(25, 4), true);
  EXPECT_EQ(At(more_of_cluster, 20).candidate_us, 0);
  EXPECT_NEAR(At(more_of_cluster, 21).candidate_us, 37.5, 1e-9) << "three quarters of 50 us";
  EXPECT_NEAR(At(more_of_cluster, 10).candidate_us, 62.5, 1e-9);
}

TEST(CompareLines, AddsUpWhereAFunctionHasBarriersOfTheClusterAlone) {
  const auto kernel = [](double block_visits) {
    KernelCosts all = WithBarriers({block_visits});
    const KernelCosts other =
        Kernel({{Sass("LDG"), 30, {{"barrier", 40}}}, {Sass("UCGABAR_WAIT"), 31, {}, {}, 40}, {Sass("EXIT"), 32}}, {4});
    all.functions.push_back(other.functions.front());
    all.functions.back().code.function = "other";
    all.time_us += other.time_us;
    return all;
  };
  const LineDifferences all = CompareLines(kernel(25), kernel(100), true);
  EXPECT_NEAR(all.DeltaUs(), 0, 1e-9);
  EXPECT_EQ(At(all, 30).candidate_us, 40);
}

// --- any two kernels ---

std::vector<Placed> AnyCode() {
  static const std::vector<std::string> opcodes = {"LDG",   "STG", "LDS",  "LDL",         "FFMA",
                                                   "IADD3", "BAR", "MUFU", "UCGABAR_WAIT"};
  static const std::vector<std::string> reasons = {"selected", "not_selected", "wait", "barrier", "long_scoreboard"};
  std::vector<Placed> all;
  const int size = *rc::gen::inRange(1, 16);
  const auto costs = [&] {
    Us us;
    for (int n = *rc::gen::inRange(0, 3); n > 0; --n)
      us[*rc::gen::elementOf(reasons)] += 0.25 * *rc::gen::inRange(0, 400);
    return us;
  };
  for (int i = 0; i < size; ++i) {
    Placed p{Sass(*rc::gen::elementOf(opcodes)), *rc::gen::inRange(0, 6), costs(), costs()};
    if (*rc::gen::inRange(0, 5) == 0) p.sass = Sass("BRA").If().To(*rc::gen::inRange(0, size));
    all.push_back(std::move(p));
  }
  all.push_back({Sass("EXIT"), 1});
  return all;
}

KernelCosts AnyKernel() {
  KernelCosts kernel = Kernel(AnyCode(), {}, *rc::gen::inRange(0, 20));
  const bool counted = *rc::gen::arbitrary<bool>();
  for (BlockTrips& block : kernel.functions[0].trips) block = {static_cast<double>(*rc::gen::inRange(0, 50)), counted};
  return kernel;
}

KernelCosts Shifted(KernelCosts kernel, int by) {
  for (FunctionCosts& function : kernel.functions)
    for (MachineInstruction& i : function.code.instructions)
      for (SourceFrame& frame : i.frames) frame.line += by;
  return kernel;
}

bool Near(double a, double b) { return std::abs(a - b) < 1e-6; }

double Sum(const CostByKind& kinds) {
  double sum = 0;
  for (const auto& [kind, us] : kinds) sum += us;
  return sum;
}

double WaitingOf(const KernelCosts& kernel) {
  double sum = 0;
  for (const FunctionCosts& function : kernel.functions)
    for (const InstructionCost& cost : function.costs) sum += cost.Waiting();
  return sum;
}

// `sectors` of each instruction, by place.
KernelCosts Moving(KernelCosts kernel, const std::map<int, double>& sectors) {
  FunctionCosts& function = kernel.functions[0];
  function.sectors.resize(function.costs.size());
  for (const auto& [i, moved] : sectors) function.sectors[static_cast<std::size_t>(i)] = moved;
  return kernel;
}

// Line 1 loads, line 2 stores.
KernelCosts LoadingAndStoring(double load_us, double store_us, double stored) {
  return Moving(Kernel({{Sass("LDG"), 1, {{"long_scoreboard", load_us}, {"not_selected", 1}}},
                        {Sass("STG"), 2, {{"drain", store_us}}}}),
                {{0, 400}, {1, stored}});
}

TEST(CompareLines, BlamesWhatMovesMoreForLoadsThatMoveAsMuchAndAreWaitedForLonger) {
  const KernelCosts base = LoadingAndStoring(10, 2, 100), candidate = LoadingAndStoring(30, 6, 500);
  const LineDifferences all = CompareLines(base, candidate, true);
  EXPECT_DOUBLE_EQ(At(all, 1).DeltaUs(), 0);
  EXPECT_DOUBLE_EQ(At(all, 2).DeltaUs(), 24);
  EXPECT_DOUBLE_EQ(At(all, 2).blamed_for.at({Operation::kGlobalStore, "long_scoreboard"}), 20);
  EXPECT_NEAR(all.DeltaUs(), candidate.time_us - base.time_us, 1e-9);
  const LineDifferences back = CompareLines(candidate, base, true);
  EXPECT_DOUBLE_EQ(At(back, 1).DeltaUs(), 0);
  EXPECT_DOUBLE_EQ(At(back, 2).DeltaUs(), -24);
}

TEST(CompareLines, BlamesStoresThatNobodyWaitedForAsStores) {
  const LineDifferences all = CompareLines(LoadingAndStoring(10, 0, 100), LoadingAndStoring(30, 0, 500), true);
  EXPECT_DOUBLE_EQ(At(all, 2).DeltaUs(), 20);
  EXPECT_DOUBLE_EQ(At(all, 2).blamed_for.at({Operation::kGlobalStore, "long_scoreboard"}), 20);
}

TEST(CompareLines, BlamesLoadsThemselvesWhereNothingMovesMore) {
  EXPECT_DOUBLE_EQ(At(CompareLines(LoadingAndStoring(10, 2, 100), LoadingAndStoring(30, 6, 100), true), 1).DeltaUs(),
                   20);
  EXPECT_DOUBLE_EQ(At(CompareLines(LoadingAndStoring(10, 2, 100), LoadingAndStoring(30, 6, 120), true), 1).DeltaUs(),
                   20)
      << "a few sectors more hold nobody up";
  KernelCosts uncounted = LoadingAndStoring(30, 6, 500);
  uncounted.functions[0].sectors.clear();
  EXPECT_DOUBLE_EQ(At(CompareLines(LoadingAndStoring(10, 2, 100), uncounted, true), 1).DeltaUs(), 20) << "nobody knows";
}

TEST(CompareLines, BlamesLoadsThemselvesWhereTheyMoveMore) {
  const KernelCosts base = LoadingAndStoring(10, 2, 100);
  KernelCosts candidate = LoadingAndStoring(30, 6, 500);
  candidate.functions[0].sectors[0] = 800;
  EXPECT_DOUBLE_EQ(At(CompareLines(base, candidate, true), 1).DeltaUs(), 20);
}

RC_GTEST_PROP(CompareLinesProperties, LinesSumToTheDifferenceOfTheTimes, (bool same_source)) {
  const KernelCosts base = AnyKernel(), candidate = AnyKernel();
  const LineDifferences all = CompareLines(base, candidate, same_source);
  RC_ASSERT(Near(all.DeltaUs(), candidate.time_us - base.time_us));
  double of_base = all.base_unknown_us, of_candidate = all.candidate_unknown_us, waiting = 0;
  for (const DifferentLine& line : all.lines) {
    of_base += line.base_us;
    of_candidate += line.candidate_us;
    waiting += line.candidate_waiting_us - line.base_waiting_us;
    RC_ASSERT(line.base_us >= 0 && line.candidate_us >= 0);
    RC_ASSERT(Near(Sum(line.blamed_for), line.DeltaUs()));
    RC_ASSERT(Near(Sum(line.waiting_at), line.candidate_waiting_us - line.base_waiting_us));
  }
  RC_ASSERT(Near(of_base, base.time_us));
  RC_ASSERT(Near(of_candidate, candidate.time_us));
  RC_ASSERT(Near(waiting, WaitingOf(candidate) - WaitingOf(base)));
}

// By the places of both sides; the part too, where there is no line.
std::map<std::string, double> ByPlaces(const LineDifferences& all, bool swapped) {
  const auto name = [](const std::optional<CodePlace>& place) {
    return place ? place->frame.file + ":" + std::to_string(place->frame.line) + place->part : std::string("-");
  };
  std::map<std::string, double> found;
  for (const DifferentLine& line : all.lines)
    found[swapped ? name(line.candidate) + " " + name(line.base) : name(line.base) + " " + name(line.candidate)] =
        swapped ? -line.DeltaUs() : line.DeltaUs();
  return found;
}

void AssertSame(const std::map<std::string, double>& a, const std::map<std::string, double>& b) {
  RC_ASSERT(a.size() == b.size());
  for (const auto& [places, us] : a) RC_ASSERT(b.contains(places) && Near(us, b.at(places)));
}

RC_GTEST_PROP(CompareLinesProperties, OfTheOtherWayRoundAreTheSameWithTheOtherSign, ()) {
  const KernelCosts base = AnyKernel(), candidate = AnyKernel();
  AssertSame(ByPlaces(CompareLines(base, candidate, true), false), ByPlaces(CompareLines(candidate, base, true), true));
}

// Of two sources several pairings may be as good, so that which line became which may differ. What each costs does not.
RC_GTEST_PROP(CompareLinesProperties, WhatALineCostsDoesNotDependOnWhichSideItIsOn, ()) {
  const KernelCosts one = AnyKernel(), other = AnyKernel();
  const LineDifferences there = CompareLines(one, other, false), back = CompareLines(other, one, false);
  std::map<std::pair<int, std::string>, std::pair<double, double>> as_base, as_candidate;
  for (const DifferentLine& line : there.lines)
    if (line.base) as_base[{line.base->frame.line, line.base->part}] = {line.base_us, line.base_waiting_us};
  for (const DifferentLine& line : back.lines)
    if (line.candidate)
      as_candidate[{line.candidate->frame.line, line.candidate->part}] = {line.candidate_us, line.candidate_waiting_us};
  RC_ASSERT(as_base == as_candidate);
  RC_ASSERT(Near(there.DeltaUs(), -back.DeltaUs()));
}

RC_GTEST_PROP(CompareLinesProperties, OfAKernelWithItselfAreNothing, (bool same_source)) {
  const KernelCosts kernel = AnyKernel();
  const int shift = same_source ? 0 : *rc::gen::inRange(0, 100);
  for (const DifferentLine& line : CompareLines(kernel, Shifted(kernel, shift), same_source).lines) {
    RC_ASSERT(line.base && line.candidate);
    RC_ASSERT(line.DeltaUs() == 0);
    for (const auto& [kind, us] : line.blamed_for) RC_ASSERT(us == 0);
    for (const auto& [kind, us] : line.waiting_at) RC_ASSERT(us == 0);
  }
}

// Of other sources: beyond all lines of the base, so that no place is in both.
RC_GTEST_PROP(CompareLinesProperties, DoNotDependOnWhereLinesStand, ()) {
  const KernelCosts base = AnyKernel(), candidate = Shifted(AnyKernel(), 100);
  const LineDifferences here = CompareLines(base, candidate, false);
  const LineDifferences there = CompareLines(base, Shifted(candidate, *rc::gen::inRange(0, 1000)), false);
  RC_ASSERT(here.lines.size() == there.lines.size());
  for (std::size_t i = 0; i < here.lines.size(); ++i) {
    RC_ASSERT(here.lines[i].base == there.lines[i].base);
    RC_ASSERT(here.lines[i].DeltaUs() == there.lines[i].DeltaUs());
    RC_ASSERT(here.lines[i].blamed_for == there.lines[i].blamed_for);
  }
}

}  // namespace
}  // namespace culprit
