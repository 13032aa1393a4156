// SPDX-License-Identifier: Apache-2.0
// `culprit study` through the command's entry: on the recorded H100 run and on an invented chain.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/invented_database.h"
#include "tests/support/invented_gate.h"
#include "tests/support/run_command.h"

namespace culprit {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Json = nlohmann::json;
using testing::Result;
using testing::RunCommand;

class StudyCommand : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new testing::TemporaryFolder;
    testing::WriteStudyDatabase(*folder_ / "invented.db");
    testing::WriteRecorded(*folder_ / "recorded.db");
  }
  static void TearDownTestSuite() {
    delete folder_;
    folder_ = nullptr;
  }
  static Result Study(const char* database, std::vector<std::string> args) {
    args.insert(args.begin(), {"study", "--db", (*folder_ / database).string()});
    return RunCommand(args);
  }
  static Json AsJson(const char* database, std::vector<std::string> args) {
    args.push_back("--json");
    const Result result = Study(database, args);
    EXPECT_EQ(result.status, 0) << result.err;
    return Json::parse(result.out);
  }
  static inline testing::TemporaryFolder* folder_ = nullptr;
};

std::vector<std::string> Names(const Json& rows, const char* key) {
  std::vector<std::string> names;
  for (const Json& row : rows) names.push_back(row[key]);
  return names;
}

const Json& Edge(const Json& study, const std::string& candidate) {
  for (const Json& edge : study["steps"]["edges"])
    if (edge["candidate"] == candidate) return edge;
  throw std::out_of_range(candidate);
}

TEST_F(StudyCommand, WalksTheRecordedStudyAndItsPartsSumToTheWhole) {
  const Json study = AsJson("recorded.db", {"v2", "v1_6"});
  EXPECT_THAT(Names(study["steps"]["stages"], "stage"), ElementsAre("v2", "v1_9", "v1_8", "v1_7", "v1_6"));
  double steps = 0;
  for (const Json& edge : study["steps"]["edges"]) {
    EXPECT_EQ(edge["factors_changed"], 1) << edge;
    EXPECT_NE(edge["verdict"], "not measured") << edge;
    steps += edge["delta_us"].get<double>();
    double parts = edge["decomposed"] == "yes" ? edge["unexplained_us"].get<double>() : edge["delta_us"].get<double>();
    for (const Json& cause : study["why"]["causes"])
      if (cause["candidate"] == edge["candidate"]) parts += cause["delta_us"].get<double>();
    EXPECT_NEAR(parts, edge["delta_us"], 0.1) << edge;
  }
  const Json& total = study["total"];
  EXPECT_NEAR(steps, total["delta_us"], 0.1);
  double parts = 0;
  for (const Json& part : total["parts"])
    if (part["part"] != "total") parts += part["delta_us"].get<double>();
  EXPECT_NEAR(parts, total["delta_us"], 0.1);
}

TEST_F(StudyCommand, BlamesLocalMemoryForTheRecordedLoopExchange) {
  const Json study = AsJson("recorded.db", {"v1_7", "v1_6"});
  EXPECT_EQ(study["why"]["causes"][0]["cause"], "local_memory_array");
  EXPECT_THAT(study["why"]["causes"][0]["confirmed_by"].get<std::string>(), HasSubstr("v1_6_4"));
  EXPECT_EQ(study["steps"]["changes"][0]["factor"], "loop nest");
}

TEST_F(StudyCommand, FlipsTheSignOfEveryPartWhenItWalksBackwards) {
  const Json there = AsJson("recorded.db", {"v2", "v1_6"}), back = AsJson("recorded.db", {"v1_6", "v2"});
  EXPECT_NEAR(there["total"]["delta_us"].get<double>(), -back["total"]["delta_us"].get<double>(), 1e-6);
}

TEST_F(StudyCommand, TakesExactlyTheStepsThatAreNamed) {
  const Json study = AsJson("recorded.db", {"v2", "v1_9", "v1_7", "v1_6"});
  EXPECT_THAT(Names(study["steps"]["stages"], "stage"), ElementsAre("v2", "v1_9", "v1_7", "v1_6"));
  EXPECT_EQ(Edge(study, "v1_7")["factors_changed"], 2);
  const Result text = Study("recorded.db", {"v2", "v1_9", "v1_7", "v1_6"});
  EXPECT_THAT(text.out, HasSubstr("Not one-factor experiments"));
  EXPECT_THAT(text.out, HasSubstr("v1_9 -> v1_7 (2"));
}

TEST_F(StudyCommand, ShowsAFamilyAsATreeWithItsCounterfactuals) {
  const Json study = AsJson("recorded.db", {"--family", "v_study"});
  for (const char* leaf : {"v1_6_1", "v1_6_3", "v1_6_4", "v1_7_1", "v1_7_2"})
    EXPECT_EQ(Edge(study, leaf)["base"], std::string(leaf).substr(0, 4)) << leaf;
  EXPECT_FALSE(study.contains("total"));
  EXPECT_EQ(Edge(study, "v1_6_1")["verdict"], "same");
}

// v1_7 at a size of its own, and two more below it there: a tree beside the one at 2048.
void WriteTwoSizes(const std::filesystem::path& file) {
  testing::GateRuns runs;
  const KernelRecord like = runs.At("v1_7");
  runs.base.clear();
  const auto add = [&](const char* id, const char* parent, const char* shape, double us) {
    KernelRecord kernel = like;
    kernel.stage.id = kernel.launch.stage = id;
    kernel.stage.parent = parent;
    kernel.launch.shape = shape;
    testing::SetTimes(kernel, us);
    testing::InOneProcess(kernel);
    runs.base.push_back(std::move(kernel));
  };
  for (const char* id : {"here", "there"}) add(id, id == std::string("there") ? "here" : "", "2048x2048x2048", 500);
  add("here", "", "4096x4096x4096", 4000);
  for (const char* id : {"far", "farther"}) add(id, id == std::string("farther") ? "far" : "", "64x64x64", 60);
  runs.Write(file);
}

TEST_F(StudyCommand, GivesEachTreeAShapeOfItsOwnAndNamesTheLargerOneLeftOut) {
  WriteTwoSizes(*folder_ / "sizes.db");
  const std::vector<std::string> args = {"--family", "v_study", "--run", "main"};
  const Json study = AsJson("sizes.db", args);
  EXPECT_EQ(study["context"]["shape"], "");
  EXPECT_THAT(Names(study["steps"]["stages"], "stage"), ElementsAre("here", "there", "far", "farther"));
  EXPECT_THAT(Names(study["steps"]["stages"], "shape"),
              ElementsAre("2048x2048x2048", "2048x2048x2048", "64x64x64", "64x64x64"));
  for (const char* candidate : {"there", "farther"}) EXPECT_EQ(Edge(study, candidate)["verdict"], "same");
  ASSERT_EQ(study["warnings"].size(), 1u);
  EXPECT_EQ(study["warnings"][0],
            "4096x4096x4096 is left out of the steps from here: 1 of 2 kernels ended well there and 2 at "
            "2048x2048x2048; --shape 4096x4096x4096 shows it.");
  const Json far = AsJson("sizes.db", {"far", "farther", "--run", "main"});
  EXPECT_EQ(far["context"]["shape"], "64x64x64");
  EXPECT_THAT(far["warnings"], IsEmpty());
}

TEST_F(StudyCommand, SaysWhatWasNotMeasured) {
  const Json study = AsJson("invented.db", {"--family", "v_study"});
  EXPECT_EQ(Edge(study, "picky")["verdict"], "not measured");
  EXPECT_TRUE(Edge(study, "picky")["candidate_us"].is_null());
  EXPECT_THAT(Edge(study, "picky")["reason"].get<std::string>(), HasSubstr("picky takes shapes with"));
  EXPECT_EQ(Edge(study, "uncounted")["verdict"], "slower");
  EXPECT_EQ(Edge(study, "uncounted")["decomposed"], "no");
  EXPECT_TRUE(Edge(study, "uncounted")["unexplained_us"].is_null());
  const Result text = Study("invented.db", {"--family", "v_study"});
  EXPECT_THAT(text.out, HasSubstr("v1_6 -> picky is not measured"));
  EXPECT_THAT(text.out, HasSubstr("v1_7 -> uncounted has no cause"));
}

TEST_F(StudyCommand, DoesNotSumAChainWithAHole) {
  const Json study = AsJson("invented.db", {"v1_8", "picky"});
  EXPECT_FALSE(study["total"].contains("parts"));
  EXPECT_THAT(study["total"]["notes"][0].get<std::string>(), HasSubstr("Not summed"));
}

TEST_F(StudyCommand, RefusesWhatItCannotStudyInOneSentence) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{}, "the kernels of a chain or --family"},
      {{"v1_7", "v1_6", "--family", "v_study"}, "the kernels of a chain or --family"},
      {{"v1_7"}, "two kernels"},
      {{"v1_7", "v1_7"}, "no step away from itself"},
      {{"v1_7", "v16"}, "unknown kernel 'v16'"},
      {{"v17", "v1_6"}, "unknown kernel 'v17'"},
      {{"v2", "sgemm_naive"}, "no path of parents connects v2 and sgemm_naive: v2 has no parent"},
      {{"--family", "reference"}, "no kernel of family 'reference' was changed from another"},
      {{"--family", "v_studi"}, "did you mean 'v_study'"},
      {{"v1_7", "v1_6", "--shape", "77"}, "77"},
      {{"v1_7", "v1_6", "--run", "nobody"}, "nobody"},
  };
  for (const auto& [args, text] : cases) {
    const Result result = Study("recorded.db", args);
    EXPECT_EQ(result.status, 2) << text;
    EXPECT_THAT(result.err, HasSubstr(text));
    EXPECT_THAT(result.out, IsEmpty()) << text;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
}

}  // namespace
}  // namespace culprit
