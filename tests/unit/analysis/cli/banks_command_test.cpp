// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "analysis/cli/culprit.h"
#include "analysis/show/report/bank_measured.h"
#include "tests/support/invented_database.h"

namespace culprit {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

struct Result {
  int status = 0;
  std::string out, err;
};

Result Banks(std::vector<std::string> args, bool terminal = false) {
  args.insert(args.begin(), "banks");
  std::ostringstream out, err;
  const int status = Main(args, out, err, terminal);
  return {status, out.str(), err.str()};
}

nlohmann::json Json(std::vector<std::string> args) {
  args.push_back("--json");
  const Result result = Banks(std::move(args));
  EXPECT_EQ(result.status, 0) << result.err;
  return nlohmann::json::parse(result.out);
}

void ExpectRefused(const std::vector<std::string>& args, const char* why) {
  const Result result = Banks(args);
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, HasSubstr(why));
  EXPECT_THAT(result.out, IsEmpty());
}

class BanksCommand : public ::testing::Test {
 protected:
  BanksCommand() { testing::WriteBanksDatabase(folder_ / "banks.db"); }
  std::string Db() const { return (folder_ / "banks.db").string(); }
  std::string File(const std::string& text) const {
    const std::string file = (folder_ / "addresses").string();
    std::ofstream(file) << text;
    return file;
  }
  testing::TemporaryFolder folder_;
};

TEST_F(BanksCommand, NeedsNoDatabaseForAPattern) {
  const Result result = Banks({"--pattern", "lane * 4", "--db", "/nowhere/at.all"});
  EXPECT_EQ(result.status, 0) << result.err;
}

TEST_F(BanksCommand, TakesOneOpAndWidthForAllPatternsOrOneForEach) {
  const auto same = Json({"--pattern", "lane * 16", "--pattern", "0", "--op", "st", "--bytes", "16"});
  EXPECT_EQ(same["accesses"][1]["op"], "st");
  EXPECT_EQ(same["accesses"][1]["lane_bytes"], 16);
  const auto each = Json({"--pattern", "lane * 16", "--op", "ldmatrix", "--pattern", "lane*4", "--op", "st", "--bytes",
                          "16", "--bytes", "4"});
  EXPECT_EQ(each["accesses"][0]["op"], "ldmatrix");
  EXPECT_EQ(each["accesses"][1]["lane_bytes"], 4);
  ExpectRefused({"--pattern", "0", "--pattern", "4", "--pattern", "8", "--op", "ld", "--op", "st"},
                "--op was given 2 times for 3 patterns");
}

TEST_F(BanksCommand, ReadsAddressesFromAFileInAnySpelling) {
  std::string text;
  for (int lane = 0; lane < 30; ++lane) text += std::to_string(lane * 128) + (lane % 2 ? "\n" : ", ");
  const auto json = Json({"--addresses", File(text + "0xf00 -")});
  EXPECT_EQ(json["accesses"][0]["wavefronts"], 31) << "0xf00 is another word of bank 0";
  EXPECT_EQ(json["accesses"][0]["lanes"].size(), 31u);
}

TEST_F(BanksCommand, RefusesAddressesThatAreNotThirtyTwoNumbers) {
  ExpectRefused({"--addresses", File("1 2 3")}, "holds 3 addresses; give 32");
  ExpectRefused({"--addresses", File("1 2 three")}, "'three'");
  ExpectRefused({"--addresses", File("")}, "cannot read 32 addresses");
  ExpectRefused({"--addresses", (folder_ / "missing").string()}, "cannot read 32 addresses");
  ExpectRefused({"--addresses", (folder_ / "").string()}, "cannot read 32 addresses");
}

TEST_F(BanksCommand, ReadsNoFileWithoutAnEnd) {
  ExpectRefused({"--addresses", "/dev/zero"}, "has more than 65536 bytes; give 32 addresses");
}

TEST_F(BanksCommand, RefusesPatternsThatNoWarpCouldExecute) {
  ExpectRefused({"--pattern", "lane * 2"}, "lane 1 has the address 2, which is not a multiple of its 4 bytes");
  ExpectRefused({"--pattern", "lane * 4 - 8"}, "lane 0 has the address -8");
  ExpectRefused({"--pattern", "-1"}, "no lane is active");
  ExpectRefused({"--pattern", "lane *"}, "\n        ^");
  ExpectRefused({"--pattern", "lane", "--op", "mov"}, "--op");
  ExpectRefused({"--pattern", "lane * 2", "--bytes", "2"}, "4, 8 or 16 bytes, not 2");
  ExpectRefused({"--pattern", "lane * 16", "--bytes", "16", "--row-bytes", "40"}, "give a multiple of 16");
}

TEST_F(BanksCommand, WantsAStageOrAPatternAndNotBoth) {
  ExpectRefused({}, "needs a kernel");
  ExpectRefused({"half_tile", "--pattern", "0"}, "not both");
  ExpectRefused({"half_tile", "--op", "st", "--db", Db()}, "a kernel declares its own accesses");
}

TEST_F(BanksCommand, NamesWhatThereIsWhenTheStageOrAccessIsUnknown) {
  ExpectRefused({"half_tle", "--db", Db()}, "did you mean 'half_tile'?");
  ExpectRefused({"half_tile", "store B", "--db", Db()}, "did you mean 'store A'? There are: store A, load A.");
}

TEST_F(BanksCommand, SaysWhatToDoAboutAStageThatStatesNothing) {
  ExpectRefused({"silent", "--db", Db()},
                "declares no shared-memory access in this run, and no instruction that makes one was counted");
  EXPECT_THAT(Banks({"silent", "--db", Db()}).err, Not(HasSubstr("gemm_bench")));
}

TEST_F(BanksCommand, ShowsTheCountsOfAStageThatStatesNothing) {
  const auto json = Json({"counted_alone", "--db", Db()});
  ASSERT_EQ(json["measured"]["instructions"].size(), 2u);
  EXPECT_EQ(json["measured"]["instructions"][1]["wavefronts_per_request"], 16);
  const std::string text = Banks({"counted_alone", "--db", Db()}).out;
  EXPECT_THAT(text, HasSubstr("describe an access with --pattern"));
  EXPECT_THAT(text, HasSubstr("half_tile.cu:40, where most conflicts are"));
  EXPECT_THAT(text, HasSubstr("culprit banks --op ldmatrix --bytes 16"));
  EXPECT_THAT(text, Not(HasSubstr("no stated access explains")));
  ExpectRefused({"counted_alone", "load A", "--db", Db()}, "unknown access 'load A'. There are none.");
}

TEST_F(BanksCommand, PutsMeasuredWavefrontsBesideTheStatedAccesses) {
  const auto json = Json({"half_tile", "--db", Db()});
  EXPECT_EQ(json["accesses"][1]["wavefronts"], 16);
  const auto& rows = json["measured"]["instructions"];
  ASSERT_EQ(rows.size(), 2u) << "the two matrix loads of a line are alike";
  EXPECT_EQ(rows[1]["source"], "kernels/hgemm/half_tile.cu:40");
  EXPECT_EQ(rows[1]["op"], "ldsm");
  EXPECT_EQ(rows[1]["instructions"], 2);
  EXPECT_EQ(rows[1]["wavefronts_per_request"], 16);
  EXPECT_EQ(rows[1]["ideal_per_request"], 4);
}

TEST_F(BanksCommand, JudgesALayoutByAllAccessesOfTheArrayAlsoWhenOneIsShown) {
  const auto json = Json({"half_tile", "load A", "--db", Db()});
  EXPECT_EQ(json["accesses"].size(), 1u);
  EXPECT_EQ(json["arrays"][0]["costs"].size(), 2u);
  EXPECT_EQ(json["arrays"][0]["padded_conflicts"], 4) << "the padding burdens the store";
  EXPECT_EQ(json["arrays"][0]["swizzled_conflicts"], 0);
}

TEST_F(BanksCommand, CallsAnArrayFreeOfConflictsOnlyAsFarAsItIsStated) {
  EXPECT_THAT(Banks({"--pattern", "lane * 4", "--op", "st"}).out,
              HasSubstr("No bank conflict of the stated accesses (stores only)"));
  EXPECT_THAT(Banks({"--pattern", "lane * 4"}).out, HasSubstr("of the stated accesses (loads only)"));
}

TEST_F(BanksCommand, WarnsOfMeasuredConflictsThatNoStatedAccessExplains) {
  EXPECT_THAT(Banks({"half_tile", "--db", Db()}).out, Not(HasSubstr("that no stated access explains")));
  const MeasuredAccess load{"a.cu:7", "ld", 128, 1, 10, 8, 4}, free{"a.cu:8", "ld", 128, 1, 10, 4, 4};
  Report report{"banks", ""};
  const SharedAccess other{"other", "A", 64, SharedOp::kStore, 4, {}};
  AddMeasuredWavefronts(std::vector{load, free}, std::vector{other}, report);
  ASSERT_EQ(report.warnings.size(), 1u);
  EXPECT_THAT(report.warnings[0], HasSubstr("ld of 128 bits at a.cu:7 takes 8.000 where 4.000 is ideal"));
  EXPECT_THAT(report.warnings[0], Not(HasSubstr("a.cu:8")));
}

TEST_F(BanksCommand, SaysHowAccessesAreWeighed) {
  EXPECT_THAT(Banks({"half_tile", "--db", Db()}).out, HasSubstr("as often as instructions of its kind"));
  EXPECT_THAT(Banks({"half_tile", "--shape", "1024", "--db", Db()}).out, HasSubstr("each stated access counted once"));
}

TEST_F(BanksCommand, SaysThatNothingWasCountedInsteadOfShowingZero) {
  const Result result = Banks({"half_tile", "--shape", "1024", "--db", Db()});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.out, HasSubstr("No instruction of this launch was counted by itself"));
}

TEST_F(BanksCommand, SaysWhereTheSassMetricWillCountOtherwise) {
  const std::vector<std::string> half_pairs = {"--pattern", "lane < 16 ? lane / 2 * 16 : lane * 16", "--bytes", "16"};
  EXPECT_EQ(Json(half_pairs)["accesses"][0]["wavefronts"], 4);
  EXPECT_EQ(Json(half_pairs)["accesses"][0]["sass_wavefronts"], 3);
  const Result result = Banks(half_pairs);
  EXPECT_THAT(result.out, HasSubstr("will say 3 wavefronts"));
  EXPECT_THAT(Banks({"--pattern", "lane * 4"}).out, Not(HasSubstr("SASS")));
}

TEST_F(BanksCommand, ColoursTheMapOnATerminalOnly) {
  ::unsetenv("NO_COLOR");
  ::setenv("TERM", "xterm", 1);
  EXPECT_THAT(Banks({"--pattern", "lane * 4"}, true).out, HasSubstr("\x1b[38;5;16;48;5;"));
  EXPECT_THAT(Banks({"--pattern", "lane * 4"}, false).out, Not(HasSubstr("\x1b[")));
}

}  // namespace
}  // namespace culprit
