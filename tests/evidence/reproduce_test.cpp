// SPDX-License-Identifier: Apache-2.0
#include "tests/evidence/seeds/reproduce.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "db/error.h"
#include "tests/evidence/claim_world.h"
#include "tests/evidence/reproduce_report.h"
#include "tests/evidence/seeds/published.h"
#include "tests/evidence/seeds/wavefronts.h"

namespace culprit {
namespace {

using testing::ClaimWorld;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr double kStores32 = 16777216;

std::string Text(const ClaimWorld& world, const std::string& table) {
  std::ostringstream out;
  RenderText(MakeReproduceReport(world.Recording(), table, false, {}), out);
  return out.str();
}

std::vector<std::string> Sentences(const ClaimWorld& world, const std::string& stage) {
  const Recording recording = world.Recording();
  return ExplainWavefronts(recording, *recording.Find(stage, SquareShape(testing::kWorldSize)));
}

TEST(Published, TablesOfSharedMemoryAddUpToTheirTotals) {
  for (const char* stage : {"sgemm_padded", "sgemm_zorder"}) {
    const auto of = [&](const char* metric) { return PublishedSharedMemory().Find(stage, metric).value(); };
    EXPECT_EQ(of("shared_load.instructions") + of("shared_store.instructions"), of("total.instructions"));
    EXPECT_EQ(of("shared_load.wavefronts") + of("shared_store.wavefronts") + of("other.wavefronts"),
              of("total.wavefronts"));
    EXPECT_NEAR(of("shared_load.peak_pct") + of("shared_store.peak_pct") + of("other.peak_pct"), of("total.peak_pct"),
                0.011);
  }
}

TEST(Published, LeavesOutWhatIsIllegible) {
  EXPECT_FALSE(PublishedSharedMemory().Find("sgemm_padded", "shared_load.conflicts"));
  EXPECT_EQ(PublishedSharedMemory().Find("sgemm_padded", "total.conflicts"), 16777216);
}

TEST(Published, HasFourteenRowsOfTheStudyAndFiveKernelsAtSixSizes) {
  EXPECT_EQ(PublishedVStudy().rows.size(), 14u);
  EXPECT_EQ(PublishedSizes().rows.size(), 30u);
  EXPECT_FALSE(PublishedSizes().Find("view_block_v1", "time_ms", 2048));
  EXPECT_EQ(PublishedSizes().Find("view_block_v1_32", "time_ms", 2048), 9.43);
}

TEST(Reproduce, MarksCountsThatFollowFromTheTilingAsEqualOrNot) {
  ClaimWorld world;
  EXPECT_THAT(Text(world, "shared-memory"), Not(HasSubstr("differs")));
  world.Set("sgemm_padded", "shared_load_inst", 134217728 + 32);
  EXPECT_THAT(Text(world, "shared-memory"), HasSubstr("differs: 1.000 x"));
}

TEST(Reproduce, NamesTheStageThatTakesWhatWasPublished) {
  EXPECT_THAT(
      Sentences(ClaimWorld(), "sgemm_padded"),
      Contains("A shared store of sgemm_padded takes 1.600 wavefronts here by exact count, 2.400 there. The "
               "figure there is what sgemm_float4 (2.400) takes here: consistent with a kernel that reaches its "
               "tiles as that stage does."));
}

TEST(Reproduce, SaysThatThePublishedFiguresAreThoseOfNoSingleStage) {
  ClaimWorld world;
  EXPECT_THAT(Sentences(world, "sgemm_padded"), Not(Contains(HasSubstr("As a whole"))));
  world.Shared("sgemm_padded", "lds", 128, 134217728, 5, 3);
  world.Shared("sgemm_float4", "lds", 128, 134217728, 5, 3);
  world.Shared("sgemm_quadrants", "lds", 128, 134217728, 3, 3);
  EXPECT_THAT(Sentences(world, "sgemm_padded"),
              Contains(HasSubstr("what the loads of sgemm_quadrants and the stores of sgemm_float4 would give")));
}

TEST(Reproduce, GivesNoRatioOfPeaksWithDifferentDefinitions) {
  const std::string text = Text(ClaimWorld(), "shared-memory");
  EXPECT_THAT(text, HasSubstr("\"% of peak\" of Shared Store, Other rates a wavefront otherwise"));
}

TEST(Reproduce, DoesNotTreatAnotherSpellingAsAChangedFactor) {
  ClaimWorld world;
  world.At("v0").record.stage.factors = {{"loop nest", "k"}, {"unroll", "no pragma"}, {"tile", "8"}};
  world.At("v1").record.stage.factors = {{"loop nest", "-"}, {"unroll", "false"}, {"tile", "4"}};
  std::ostringstream out;
  RenderCsv(MakeReproduceReport(world.Recording(), "v-study", false, {}), out);
  EXPECT_THAT(out.str(), HasSubstr("v0,V0,v1,tile: 4 -> 8"));
  EXPECT_THAT(out.str(), Not(HasSubstr("loop nest: ")));
}

TEST(Reproduce, SaysThatWarpgroupInstructionsReadWithoutLoads) {
  ClaimWorld world;
  EXPECT_THAT(Text(world, "padding"), Not(HasSubstr("GMMA")));
  world.Set("cublas_hgemm", "tensor_gmma_inst", 2097152);
  EXPECT_THAT(Text(world, "padding"), HasSubstr("cublas_hgemm multiplies by 2,097,152 warpgroup instructions"));
}

TEST(Reproduce, SaysThatBothNeedTheSameWhereTheyDo) {
  ClaimWorld world;
  world.Shared("sgemm_padded", "sts", 32, kStores32, 2, 1);
  EXPECT_THAT(Sentences(world, "sgemm_padded"), Contains(HasSubstr("2.400 there. Both GPUs need the same.")));
}

TEST(Reproduce, SaysWhichGpuNeedsFewerWhereNothingElseExplainsIt) {
  ClaimWorld world;
  world.Shared("sgemm_zorder", "lds", 128, 134217728, 4, 2);
  EXPECT_THAT(Sentences(world, "sgemm_zorder"),
              Contains(HasSubstr("The Invented GPU H100 serves these addresses in more wavefronts than RTX 3090.")));
}

TEST(Reproduce, QuotesTheBankModelForAddressesThatTheStageStates) {
  ClaimWorld world;
  SharedAccess access{"load B", "B", 512, SharedOp::kLoad, 4, {}};
  for (int lane = 0; lane < kWarpLanes; ++lane) access.address[static_cast<std::size_t>(lane)] = 8 * lane;
  world.At("sgemm_zorder").record.stage.shared_accesses = {access};
  EXPECT_THAT(Sentences(world, "sgemm_zorder"), Contains(HasSubstr("the bank model says: load B 2")));
}

TEST(Reproduce, ExplainsNothingWithoutCountsOfInstructions) {
  ClaimWorld world;
  world.ForgetInstructions();
  EXPECT_TRUE(Sentences(world, "sgemm_padded").empty());
}

TEST(Reproduce, NamesTheCommandForWhatIsMissing) {
  ClaimWorld world;
  world.Remove("v1_9");
  EXPECT_THAT(Text(world, "v-study"),
              HasSubstr("with: gemm_bench --profile=full --stages v1_9 --shapes 4096 --db FILE"));
}

TEST(Reproduce, UsesTheShapeAtWhichMostStagesRan) {
  ClaimWorld world;
  world.MoveTo("1024x2048x512");
  EXPECT_THAT(Text(world, "v-study"), HasSubstr("ours at 1024x2048x512"));
  EXPECT_THAT(Text(world, "shared-memory"), HasSubstr("counts at another shape must differ"));
  EXPECT_THAT(Text(world, "shared-memory"), Not(HasSubstr(" x\n"))) << "no ratio of counts of different shapes";
  EXPECT_THAT(Text(world, "shared-memory"), Not(HasSubstr("differs")));
}

TEST(Reproduce, SaysNotMeasuredOfARunWithoutLaunches) {
  std::ostringstream out;
  RenderText(MakeReproduceReport(Recording({}, {}), "", false, {}), out);
  EXPECT_THAT(out.str(), HasSubstr("ours at no shape"));
  EXPECT_THAT(out.str(), HasSubstr("not measured"));
}

TEST(Reproduce, SurvivesDeniedCounters) {
  ClaimWorld world;
  world.DenyCounters();
  EXPECT_THAT(Text(world, ""), HasSubstr("not measured (denied)"));
}

TEST(Reproduce, RefusesAnUnknownTableInASentence) {
  try {
    MakeReproduceReport(ClaimWorld().Recording(), "nothing", false, {});
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "there is no table 'nothing': name one of shared-memory, v-study, sizes, padding.");
  }
}

}  // namespace
}  // namespace culprit
