// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/why/headline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "analysis/judge/causes/cause.h"

namespace culprit {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// From 100 us by these parts; what they leave of `delta_us` is unexplained.
Explanation Parts(double delta_us, const std::vector<std::pair<std::string, double>>& parts) {
  Explanation e;
  e.verdict.speed = delta_us > 0 ? Speed::kSlower : Speed::kFaster;
  e.decomposition.emplace();
  e.base_us = 100.0;
  e.candidate_us = 100 + delta_us;
  e.unexplained_us = delta_us;
  for (const auto& [cause, us] : parts) {
    e.causes.push_back({cause, us, us / delta_us, {}, {}, SentenceFor(cause, us, us / delta_us), {}, {}, {}, {}});
    e.unexplained_us -= us;
  }
  return e;
}

TEST(Headline, IsTheFirstCause) {
  EXPECT_EQ(Headline(Parts(50, {{"fma_pipe", 45}})),
            "fma_pipe: More floating-point work: 45.00 us more, 90.0 % of the change.");
}

TEST(Headline, IsWordedTheOtherWayRoundWhereACauseSaves) {
  EXPECT_EQ(Headline(Parts(-50, {{"fma_pipe", -45}})),
            "fma_pipe: Less floating-point work: 45.00 us less, 90.0 % of the change.");
}

TEST(Headline, NamesNoCauseBeyondTheChangeAsTheAnswer) {
  EXPECT_THAT(Headline(Parts(50, {{"fma_pipe", 59}, {"l2_traffic", -9}})), HasSubstr("fma_pipe: More"));
  EXPECT_EQ(
      Headline(Parts(50, {{"fma_pipe", 65}, {"l2_traffic", -15}})),
      "none alone, because large parts cancel: fma_pipe +65.0 us (130.0 %) against l2_traffic -15.0 us (-30.0 %).");
}

// "none alone ... global_uncoalesced +6.1 us (129.4 %) against imbalance_tail -0.560 us", whose interval held 0.
TEST(Headline, IsTheFirstCauseWhereWhatIsAgainstItMayBeNothing) {
  Explanation e = Parts(50, {{"fma_pipe", 65}, {"l2_traffic", -9}, {"clock", -4}});
  e.causes[1].interval = Scatter{-12, 3};
  e.causes[2].interval = Scatter{-9, 1};
  EXPECT_EQ(Headline(e), "fma_pipe: More floating-point work: 65.00 us more, 130.0 % of the change.");
  e.causes[1] = Parts(50, {{"l2_traffic", -15}}).causes[0];
  e.causes[1].interval = Scatter{-20, -8};
  EXPECT_THAT(Headline(e), HasSubstr("against l2_traffic -15.0 us"));
}

TEST(Headline, SaysThatTheSameMachineCodeCannotBeTheCause) {
  Explanation e = Parts(50, {{"dram_traffic", 10}});
  e.same_code = true;
  EXPECT_EQ(Headline(e),
            "not in the code: both are the same machine code, launched alike. What was counted does not tell 80.0 % of "
            "the change; see below what may differ.");
  Explanation found = Parts(50, {{"dram_traffic", 40}});
  found.same_code = true;
  EXPECT_THAT(Headline(found), HasSubstr("dram_traffic: ")) << "what it works on may differ";
}

// "147.6 % of the change is unexplained"
TEST(Headline, SaysWhyMoreThanTheChangeIsUnexplained) {
  EXPECT_EQ(Headline(Parts(50, {{"l2_traffic", -20}})),
            "not found: +70.0 us are unexplained, more than the change, because the causes that were found, -20.0 us "
            "together, work against it.");
}

TEST(Headline, NamesNoCauseOpposedByAsMuchAsTheChange) {
  // 1.1 + 1.0 of the change against 0.6 + 0.5 of it: no part is as large as the change, all that oppose it are.
  const Explanation e = Parts(-50, {{"fma_pipe", -55}, {"barrier", -50}, {"l2_traffic", 30}, {"shared_traffic", 25}});
  EXPECT_EQ(
      Headline(e),
      "none alone, because large parts cancel: fma_pipe -55.0 us (110.0 %) against l2_traffic +30.0 us (-60.0 %).");
}

TEST(Headline, CountsWhatIsUnexplainedAmongTheParts) {
  EXPECT_EQ(Headline(Parts(50, {{"fma_pipe", 100}})),
            "none alone, because large parts cancel: fma_pipe +100.0 us (200.0 %) against unexplained -50.0 us "
            "(-100.0 %).");
}

TEST(Headline, SaysWhatIsNotKnown) {
  EXPECT_EQ(Headline(Parts(50, {{"fma_pipe", 10}})),
            "not found: 80.0 % of the change is unexplained; the largest cause is fma_pipe, 20.0 %.");
  EXPECT_EQ(Headline(Parts(50, {})), "not found: 100.0 % of the change is unexplained.");
  Explanation e = Parts(50, {});
  e.decomposition.reset();
  e.no_decomposition = "v1 has no warps_active.";
  EXPECT_EQ(Headline(e), "not known: v1 has no warps_active.");
  e.verdict.speed = Speed::kSame;
  EXPECT_THAT(Headline(e), IsEmpty());
}

TEST(Headline, SaysThatAPartWorksAgainstTheChange) {
  EXPECT_EQ(SentenceFor("fma_pipe", -1916, -0.38),
            "Less floating-point work: 1,916.0 us less, against the change and 38.0 % of its size.");
  EXPECT_EQ(SentenceFor("barrier", 2, -0.04),
            "More barriers: 2.000 us more, against the change and 4.0 % of its size.");
}

// What costs time and what saves it are not the same words, and neither says "more" where it is less.
TEST(Headline, HasWordsForBothSignsOfEveryCause) {
  for (const Cause& cause : Causes()) {
    const std::string costs(WordsFor(cause.id, 1)), saves(WordsFor(cause.id, -1));
    EXPECT_EQ(costs, cause.title) << cause.id;
    EXPECT_NE(saves, costs) << cause.id << ": add what it is where it saves time to headline.cpp";
    for (const char* word : {"less", "fewer"}) EXPECT_THAT(costs, Not(HasSubstr("more " + std::string(word))));
    if (costs.starts_with("more ")) {
      EXPECT_THAT(saves, Not(::testing::StartsWith("more "))) << cause.id;
    }
    if (costs.starts_with("fewer ")) {
      EXPECT_THAT(saves, ::testing::StartsWith("more ")) << cause.id;
    }
  }
}

TEST(LeadingCauses, AreNoneWhereLargePartsCancel) {
  const Explanation e = Parts(50, {{"fma_pipe", 65}, {"barrier", 20}, {"l2_traffic", -35}});
  EXPECT_EQ(FirstCause(e), nullptr);
  EXPECT_EQ(SecondCause(e), nullptr);
  EXPECT_EQ(WithoutCause(e), "large parts cancel: fma_pipe +65.0 us (130.0 %) against l2_traffic -35.0 us (-70.0 %)");
  EXPECT_EQ(FirstCause(Parts(50, {{"fma_pipe", 45}}))->cause, "fma_pipe");
}

TEST(Headline, SaysInWhichStateWhatIsNotFoundIs) {
  Explanation e = Parts(50, {{"fma_pipe", 5}});
  e.decomposition->stalls.resize(2);
  e.decomposition->stalls[0].reason = "mio_throttle";
  e.decomposition->stalls[1].reason = "wait";
  const std::string without = Headline(e);
  EXPECT_THAT(without, HasSubstr("not found: 90.0 % of the change is unexplained; the largest cause is fma_pipe"));
  e.rest = {{"mio_throttle", 40}, {"hidden", -10}};
  EXPECT_THAT(Headline(e), HasSubstr("unexplained, most of it in mio_throttle, +40.0 us; the largest cause"));
  e.rest[0].us = 20;
  EXPECT_EQ(Headline(e), without) << "less than half of it";
  e.rest[0].us = -60;
  EXPECT_EQ(Headline(e), without) << "the other way";
  e.rest[0] = {"beyond_limit", 40};
  EXPECT_EQ(Headline(e), without) << "no state";
}

TEST(WithinNoise, SumsUpAndNamesTheLargestInTheDirectionOfTheChange) {
  Explanation e = Parts(50, {});
  EXPECT_EQ(WithinNoiseUs(e), 0);
  EXPECT_EQ(FirstWithinNoise(e), nullptr);
  e.within_noise = {{"clock", -12}, {"barrier", 30}, {"l2_traffic", 10}};
  EXPECT_EQ(WithinNoiseUs(e), 28);
  ASSERT_NE(FirstWithinNoise(e), nullptr);
  EXPECT_EQ(FirstWithinNoise(e)->first, "barrier") << "the clock is against it";
  EXPECT_EQ(PartOfCause(e, "l2_traffic"), 10);
  EXPECT_EQ(PartOfCause(e, "fma_pipe"), 0);
  e.within_noise = {{"barrier", 24}};
  EXPECT_EQ(FirstWithinNoise(e), nullptr) << "less than half of the change";
  e = Parts(50, {{"fma_pipe", 45}});
  EXPECT_EQ(PartOfCause(e, "fma_pipe"), 45);
}

TEST(WithinNoise, NamesTheCausesThatMakeUpMostOfWhatIsUnexplained) {
  Explanation e = Parts(50, {{"fma_pipe", 30}});
  EXPECT_EQ(WithinNoiseText(e), "") << "nobody has any of it";
  e.within_noise = {{"barrier", 8}, {"l2_traffic", -5}, {"clock", 4}};
  EXPECT_EQ(WithinNoiseText(e), "") << "7 us are less than half of it";
  e.within_noise = {{"barrier", 13}, {"l2_traffic", -5}, {"clock", 4}};
  EXPECT_EQ(WithinNoiseUs(e), 12) << "as a column beside it has it";
  EXPECT_EQ(WithinNoiseText(e),
            "small causes add up to +12.0 us where +20.0 us are unexplained, but noise alone could make each of them: "
            "barrier +13.0 us, l2_traffic -5.0 us, clock +4.0 us");
  e.within_noise = {{"barrier", 8}};
  EXPECT_EQ(WithinNoiseText(e), "") << "less than half of it";
  e = Parts(50, {{"fma_pipe", 45}});
  e.within_noise = {{"barrier", 5}};
  EXPECT_EQ(WithinNoiseText(e), "") << "a tenth of the change is no news";
}

TEST(WaitingSentence, SaysThatOnlyTheWaitingShowsTheCause) {
  EXPECT_EQ(WaitingSentenceFor("exposed_latency", 9.8, 0.91, false),
            "Waiting longer for the same loads from global memory: 9.800 us more, 91.0 % of the change. Why was not "
            "measured: "
            "samples of instructions show how early the code asks.");
  EXPECT_EQ(
      WaitingSentenceFor("exposed_shared", -9.8, 0.91, true),
      "Waiting less long for the same accesses to shared memory: 9.800 us less, 91.0 % of the change. Why was not "
      "measured; what is read from the code does not tell.");
  EXPECT_EQ(WaitingSentenceFor("fp64_pipe", 9.8, 0.91, true), "") << "its own counts show it";
}

}  // namespace
}  // namespace culprit
