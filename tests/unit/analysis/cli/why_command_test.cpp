// SPDX-License-Identifier: Apache-2.0
// `culprit why` on the recorded H100 run, where the answers are known, and on invented databases.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <tuple>

#include "db/database.h"
#include "tests/support/invented_database.h"
#include "tests/support/kernel_builder.h"
#include "tests/support/recordings.h"
#include "tests/support/run_command.h"

namespace culprit {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;
using testing::Result;
using testing::RunCommand;

class WhyCommand : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new testing::TemporaryFolder;
    testing::WriteInventedDatabase(*folder_ / "invented.db");
    WriteTwoRuns(*folder_ / "two_runs.db");
    Database recorded = Database::OpenForRecording(*folder_ / "recorded.db");
    testing::ImportRecordings("", recorded);
  }
  // Run "first" and run "again", in which v1_7 takes a third longer; nothing was counted.
  static void WriteTwoRuns(const std::filesystem::path& file) {
    Database database = Database::OpenForRecording(file);
    for (const auto& [uuid, label, us] : {std::tuple{"aaaaaaaa-0000-4000-8000-000000000000", "first", 300.0},
                                          {"bbbbbbbb-0000-4000-8000-000000000000", "again", 400.0}}) {
      testing::KernelBuilder k("v1_7");
      k.record.run.run.uuid = uuid;
      k.record.run.run.label = label;
      const RunId run = database.BeginRun(k.record.run.run);
      database.StoreStage(run, k.record.stage, {});
      std::vector<Sample> samples;
      for (int i = 0; i < 12; ++i) samples.push_back({i, us + 0.1 * i, 1980, false});
      const LaunchId launch = database.StoreLaunch(run, k.record.launch, samples);
      database.StoreWarning(run, launch, {"low_clock", "2 samples were left out.", {}});
      database.FinishRun(run);
    }
  }
  static void TearDownTestSuite() {
    delete folder_;
    folder_ = nullptr;
  }
  static Result Run(std::vector<std::string> args, const char* database = "recorded.db") {
    args.insert(args.begin(), "why");
    args.insert(args.end(), {"--db", (*folder_ / database).string()});
    return RunCommand(args);
  }
  static Json Of(std::vector<std::string> args, const char* database = "recorded.db") {
    args.push_back("--json");
    const Result result = Run(args, database);
    EXPECT_EQ(result.status, 0) << result.err;
    return Json::parse(result.out);
  }
  static const Json* Find(const Json& answer, const std::string& cause) {
    for (const Json& part : answer.at("causes"))
      if (part.at("cause") == cause) return &part;
    return nullptr;
  }
  static inline testing::TemporaryFolder* folder_ = nullptr;
};

TEST_F(WhyCommand, NamesTheLaunchOfAWarning) {
  const Json two_runs = Of({"v1_7@first", "v1_7@again"}, "two_runs.db");
  EXPECT_EQ(two_runs.at("warnings"),
            Json({"low_clock: v1_7 at 2048x2048x2048 in run aaaaaaaa: 2 samples were left out.",
                  "low_clock: v1_7 at 2048x2048x2048 in run bbbbbbbb: 2 samples were left out."}));

  const std::filesystem::path file = *folder_ / "warned.db";
  {
    Database database = Database::OpenForRecording(file);
    const RunId run = database.BeginRun(testing::KernelBuilder("v1_7").record.run.run);
    for (const char* stage : {"v1_6", "v1_7"}) {
      const testing::KernelBuilder k = testing::KernelBuilder(stage).Time(300);
      database.StoreStage(run, k.record.stage, {});
      const LaunchId launch = database.StoreLaunch(run, k.record.launch, k.record.samples);
      for (const char* text : {"2 samples were left out.", "3 counts ran slowly."})
        database.StoreWarning(run, launch, {"low_clock", text, {}});
      database.StoreWarning(run, launch, {"low_clock", std::string(stage) + " is not this sentence.", {}});
    }
    database.FinishRun(run);
  }
  for (const char* option : {"--all", "--metrics"}) {
    const Result result = RunCommand({"why", "v1_6", "v1_7", option, "--db", file.string()});
    for (const char* stage : {"v1_6", "v1_7"})
      for (const char* text : {"2 samples", "3 counts", "v1_"})
        EXPECT_THAT(result.out, HasSubstr(std::string("! low_clock: ") + stage + " at 2048x2048x2048: " + text))
            << option;
  }
}

TEST_F(WhyCommand, BlamesTheArrayInLocalMemoryAndNamesTheStagesThatProveIt) {
  const Json answer = Of({"v1_7", "v1_6"});
  EXPECT_EQ(answer.at("verdict"), "slower");
  const Json& first = answer.at("causes").at(0);
  EXPECT_EQ(first.at("cause"), "local_memory_array");
  ASSERT_EQ(first.at("confirmed_by").size(), 1u);
  EXPECT_EQ(first.at("confirmed_by").at(0).at("stage"), "v1_6_4");
  EXPECT_NEAR(first.at("confirmed_by").at(0).at("recovers").get<double>(), 0.52, 0.02);
  const double recovered = first.at("confirmed_by").at(0).at("recovered_us").get<double>();
  const double part = first.at("confirmed_by").at(0).at("part_us").get<double>();
  const bool inside = part >= first.at("interval90_us").at("low").get<double>() &&
                      part <= first.at("interval90_us").at("high").get<double>();
  EXPECT_EQ(first.at("confirmed_by").at(0).at("proof"), inside ? "confirmed" : "partly");
  EXPECT_GT(part, recovered) << "what came with the array is taken off the time, not off the array's part";
  EXPECT_EQ(first.at("source").at(0).at("file"), "kernels/sgemm/v_study.cuh");

  const Json* conflicts = Find(answer, "shared_bank_conflicts");
  ASSERT_NE(conflicts, nullptr);
  EXPECT_LE(conflicts->at("delta_us").get<double>(), 0);
  ASSERT_EQ(conflicts->at("refuted_by").size(), 1u);
  EXPECT_EQ(conflicts->at("refuted_by").at(0).at("stage"), "v1_6_1");
  EXPECT_EQ(conflicts->at("refuted_by").at(0).at("symptom_moved"), false);
  EXPECT_THAT(conflicts->at("refuted_by").at(0).at("note").get<std::string>(),
              HasSubstr("removed none of the wavefronts lost to bank conflicts (268 M -> 285 M)"));
  EXPECT_EQ(conflicts->at("refuted_by").at(0).at("proof"), "inconclusive");
}

TEST_F(WhyCommand, CitesCuptisNamesWithTheValuesThatTheDatabaseHolds) {
  const Json answer = Of({"v1_7", "v1_6"});
  bool seen = false;
  for (const Json& e : answer.at("causes").at(0).at("evidence"))
    if (e.at("metric") == "smsp__inst_executed_op_local_ld.sum") {
      seen = true;
      EXPECT_EQ(e.at("base"), 0);
      EXPECT_EQ(e.at("candidate"), 268697600);
    }
  EXPECT_TRUE(seen);
}

// Whoever exchanges the two gets the same story, told backwards.
TEST_F(WhyCommand, ExchangingTheTwoFlipsEverySign) {
  const Json there = Of({"v1_7", "v1_6"}), back = Of({"v1_6", "v1_7"});
  EXPECT_EQ(back.at("verdict"), "faster");
  EXPECT_DOUBLE_EQ(there.at("delta_us").get<double>(), -back.at("delta_us").get<double>());
  ASSERT_EQ(there.at("causes").size(), back.at("causes").size());
  for (const Json& part : there.at("causes")) {
    const Json* other = Find(back, part.at("cause"));
    ASSERT_NE(other, nullptr) << part.at("cause");
    EXPECT_NEAR(part.at("delta_us").get<double>(), -other->at("delta_us").get<double>(), 0.1) << part.at("cause");
    EXPECT_EQ(part.at("confirmed_by").size(), other->at("confirmed_by").size()) << part.at("cause");
    EXPECT_EQ(part.at("refuted_by").size(), other->at("refuted_by").size()) << part.at("cause");
  }
}

TEST_F(WhyCommand, TheAnswerStandsInTheFirstThreeLines) {
  const Result result = Run({"v1_7", "v1_6"});
  ASSERT_EQ(result.status, 0) << result.err;
  std::istringstream lines(result.out);
  std::string top, line;
  for (int i = 0; i < 3 && std::getline(lines, line); ++i) top += line + '\n';
  for (const char* part : {"v1_6 is slower than v1_7", " us (+7", "local_memory_array", "v1_6_4"})
    EXPECT_THAT(top, HasSubstr(part));
}

TEST_F(WhyCommand, SaysThatThereIsNothingToExplainAndStops) {
  const Result same = Run({"sgemm_smem", "sgemm_smem_no_unroll"});
  EXPECT_EQ(same.status, 0);
  EXPECT_THAT(same.out, HasSubstr("sgemm_smem_no_unroll is as fast as sgemm_smem"));
  EXPECT_THAT(same.out, HasSubstr("nothing to explain"));
  EXPECT_THAT(same.out, Not(HasSubstr("Where the time went\n")));
  EXPECT_THAT(Run({"sgemm_smem", "sgemm_smem_no_unroll", "--all"}).out, HasSubstr("Where the time went\n"));
  EXPECT_TRUE(Of({"sgemm_smem", "sgemm_smem_no_unroll"}).at("causes").empty());
}

TEST_F(WhyCommand, OneLaunchAgainstItselfIsRefused) {
  const Result result = Run({"v1_6", "v1_6"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, HasSubstr("name another kernel, or another run of it with --cand-run"));
  EXPECT_EQ(result.out, "");
}

TEST_F(WhyCommand, BadInputIsOneSentenceAndStatus2) {
  for (const auto& [args, text] :
       {std::pair{std::vector<std::string>{"v1_7", "v16"}, "v1_6"},
        {std::vector<std::string>{"v1_7"}, "CANDIDATE is missing; name a second kernel, or two runs"},
        {std::vector<std::string>{"v1_7", "v1_6", "--shape", "77"}, "77"},
        {std::vector<std::string>{"v1_7", "v1_6", "--cand-run", "nowhere"}, "nowhere"}}) {
    const Result result = Run(args);
    EXPECT_EQ(result.status, 2) << args.back();
    EXPECT_THAT(result.err, HasSubstr(text));
    EXPECT_EQ(result.out, "");
  }
}

TEST_F(WhyCommand, AStageThatFailedHasNoTimeToExplain) {
  const Result result = Run({"v1_7", "broken"}, "invented.db");
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, HasSubstr("there is no time to explain"));
}

TEST_F(WhyCommand, OneStageFromTwoRunsIsToldApartByTheRuns) {
  for (const std::vector<std::string>& args :
       {std::vector<std::string>{"v1_7", "v1_7", "--base-run", "first", "--cand-run", "again"},
        {"v1_7@first", "v1_7@again"}}) {
    const Result result = Run(args, "two_runs.db");
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("v1_7 in run bbbbbbbb is slower than v1_7 in run aaaaaaaa"));
  }
}

TEST_F(WhyCommand, WithoutCountersTheVerdictStandsAndWhatIsMissingIsSaid) {
  const Json answer = Of({"v1_7@first", "v1_7@again"}, "two_runs.db");
  EXPECT_EQ(answer.at("verdict"), "slower");
  EXPECT_TRUE(answer.at("factors").empty());
  EXPECT_TRUE(answer.at("no_decomposition").is_string());
  EXPECT_NEAR(answer.at("unexplained_us").get<double>(), 100, 1e-6);
  EXPECT_THAT(Run({"v1_7@first", "v1_7@again"}, "two_runs.db").out, HasSubstr("not known: "));
}

}  // namespace
}  // namespace culprit
