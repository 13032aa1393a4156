// SPDX-License-Identifier: Apache-2.0
// The lines of planted causes exist, and lines are ranked by their growth.
#include "tests/planted/planted_lines.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <stdexcept>
#include <string_view>

#include "tests/planted/accuracy.h"
#include "tests/planted/mixtures.h"
#include "tests/support/invented_database.h"

namespace culprit::testing {
namespace {

namespace fs = std::filesystem;
const fs::path kSource = CULPRIT_SOURCE_DIR;

// Each planted cause, by its pair or mixture.
std::set<std::pair<std::string, std::string>> PlantedCauses() {
  std::set<std::pair<std::string, std::string>> planted;
  for (const PlantedAnswer& a : ReadAnswers(kSource / "tests/planted/answers.csv")) planted.emplace(a.pair, a.cause);
  for (const MixtureAnswer& m : ReadMixtures(kSource / "tests/planted/mixtures.csv")) {
    planted.emplace(m.mixture, m.cause_a);
    planted.emplace(m.mixture, m.cause_b);
  }
  return planted;
}

// Causes that are not in a kernel's code.
bool StandsNowhere(std::string_view cause) {
  return cause.starts_with("occupancy_") || cause == "imbalance_tail" || cause == "launch";
}

TEST(PlantedPlaces, ExistForEachPlantedCauseAndNothingElse) {
  std::set<std::pair<std::string, std::string>> said;
  for (const PlantedPlace& place : ReadPlantedPlaces(kSource / "tests/planted/lines.csv", kSource)) {
    said.emplace(place.planted, place.cause);
    EXPECT_EQ(place.OnLine(), !StandsNowhere(place.cause)) << place.planted << ", " << place.cause;
    EXPECT_LT(place.last - place.first, 10) << place.planted << ": a statement, not a function";
  }
  EXPECT_EQ(said, PlantedCauses());
}

// A file of planted kernels and a table of places, both made up.
std::vector<PlantedPlace> Read(const std::string& row) {
  const TemporaryFolder scratch;
  const fs::path folder = scratch / "";
  fs::create_directories(folder / "tests/planted/kernels");
  std::ofstream(folder / "tests/planted/kernels/sum.cu") << "a = 1;\nb = 2;\nfor (;;)\n  b += a;\na = 1;\nb += a;\n";
  std::ofstream(folder / "lines.csv") << "planted,cause,line,to,below\n" << row << "\n";
  return ReadPlantedPlaces(folder / "lines.csv", folder);
}

TEST(PlantedPlaces, AreFoundByTheirText) {
  const auto one = Read("sum,barrier,b = 2,,");
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].first, 2);
  EXPECT_EQ(one[0].last, 2);
  const auto statement = Read("sum,barrier,for (;;),b += a,");
  EXPECT_EQ(statement.at(0).first, 3);
  EXPECT_EQ(statement.at(0).last, 4);
  EXPECT_EQ(Read("sum,barrier,a = 1,,for (;;)").at(0).first, 5);
  EXPECT_FALSE(Read("sum,barrier,none,,").at(0).OnLine());
}

TEST(PlantedPlaces, AreRefusedWhereTheTextIsGoneOrStandsTwice) {
  EXPECT_THROW(Read("sum,barrier,c = 3,,"), std::runtime_error);
  EXPECT_THROW(Read("sum,barrier,a = 1,,"), std::runtime_error);
  EXPECT_THROW(Read("sum,barrier,b = 2,,for (;;)"), std::runtime_error);  // not below it
  EXPECT_THROW(Read("sum,barrier,a = 1,,b += a"), std::runtime_error);    // below which?
  EXPECT_THROW(Read("sum,barrier,for (;;),b = 2,"), std::runtime_error);  // ends before it begins
  EXPECT_THROW(Read("product,barrier,a = 1,,"), std::runtime_error);      // no such file
}

// A kernel of one function, with the cost and the lines of each instruction.
KernelCosts Costs(const std::vector<std::pair<std::vector<SourceFrame>, double>>& instructions) {
  KernelCosts costs;
  FunctionCosts& function = costs.functions.emplace_back();
  for (const auto& [frames, us] : instructions) {
    MachineInstruction& instruction = function.code.instructions.emplace_back();
    instruction.frames = frames;
    function.decoded.emplace_back();
    InstructionCost& cost = function.costs.emplace_back();
    cost.waiting_us["barrier"] = 100;  // the line where warps wait, not the line that they wait for
    cost.blamed_us["wait"] = us / 4;
    cost.blamed_us["long_scoreboard"] = us * 3 / 4;
  }
  function.graph = MakeFlowGraph(function.decoded);
  function.trips.resize(function.graph.blocks.size());
  return costs;
}

const std::string kSum = "kernels/planted/sum.cu";

TEST(GrownLines, AreTheUsersOwnLinesByGrowthOfBlame) {
  const KernelCosts base = Costs({{{{kSum, 3}}, 4}, {{{kSum, 5}}, 6}, {{{kSum, 9}}, 5}});
  const KernelCosts candidate = Costs({{{{kSum, 3}}, 2},
                                       {{{kSum, 3}}, 3},
                                       {{{kSum, 5}}, 1},
                                       {{{"sm_20_atomic_functions.hpp", 82}, {kSum, 7}}, 8},
                                       {{{kSum, 9}}, 5},
                                       {{}, 30}});
  const std::vector<GrownLine> grown = GrownLines(CompareLines(base, candidate, true));
  ASSERT_EQ(grown.size(), 2u);
  EXPECT_EQ(grown[0].line, 7);
  EXPECT_EQ(grown[0].file, kSum);
  EXPECT_DOUBLE_EQ(grown[0].us, 8);
  EXPECT_EQ(grown[1].line, 3);
  EXPECT_DOUBLE_EQ(grown[1].us, 1);
}

TEST(RankOfACause, CountsTheLinesBeforeItOnWhichNothingWasPlanted) {
  const std::vector<PlantedPlace> planted = {
      {"sum", "barrier", 3, 3}, {"sum", "barrier", 7, 8}, {"sum", "atomics", 20, 20}, {"sum", "launch", 0, 0}};
  const std::vector<GrownLine> grown = {{kSum, 8, 9}, {kSum, 3, 8}, {kSum, 30, 7}, {kSum, 20, 6}};
  EXPECT_EQ(RankOf(grown, planted, "barrier"), 1);
  EXPECT_EQ(RankOf(grown, planted, "atomics"), 2);
  EXPECT_EQ(RankOf(grown, planted, "launch"), 0);
  // The same number in another file is another line.
  EXPECT_EQ(RankOf(std::vector<GrownLine>{{"block_sum.cuh", 3, 9}, {kSum, 3, 1}}, planted, "barrier"), 2);
  EXPECT_EQ(RankOf(std::vector<GrownLine>{{kSum, 9, 9}}, planted, "barrier"), 0);
}

}  // namespace
}  // namespace culprit::testing
