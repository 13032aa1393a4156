// SPDX-License-Identifier: Apache-2.0
#include "analysis/why/sampled_sources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace culprit {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;

// Line `line` of k.cu, of both kernels.
DifferentLine Line(int line, CostByKind blamed_for, CostByKind waiting_at = {}) {
  DifferentLine different;
  different.base = different.candidate = CodePlace{{"k.cu", line}, ""};
  different.blamed_for = std::move(blamed_for);
  different.waiting_at = std::move(waiting_at);
  for (const auto& [kind, us] : different.blamed_for) different.candidate_us += us;
  return different;
}

// Of a difference of 100 us, of which `cause` is `delta_us`; counted was line 1.
std::vector<CauseSource> SourcesOf(const std::string& cause, double delta_us, std::vector<DifferentLine> lines) {
  Explanation e;
  e.base_us = 100;
  e.candidate_us = delta_us > 0 ? 200 : 0;
  CausePart part;
  part.cause = cause;
  part.delta_us = delta_us;
  part.source = {{"k.cu", 1, "counted"}};
  e.causes = {part};
  LineDifferences differences;
  differences.lines = std::move(lines);
  AddSampledSources(differences, e);
  return e.causes.front().source;
}

auto At(int line) { return Field(&CauseSource::line, line); }

TEST(SampledSources, NameTheLinesWhoseInstructionsAreTheCausesByWhatWarpsWaited) {
  const auto sources = SourcesOf("local_memory_array", 60,
                                 {Line(10, {{{Operation::kLocalLoad, "long_scoreboard"}, 20},
                                            {{Operation::kLocalStore, "lg_throttle"}, 15},
                                            {{Operation::kFp32, "wait"}, 500}}),
                                  Line(20, {{{Operation::kGlobalLoad, "long_scoreboard"}, 70}}),
                                  Line(30, {{{Operation::kLocalLoad, "long_scoreboard"}, 40}})});
  ASSERT_THAT(sources, ElementsAre(At(30), At(10)));
  EXPECT_EQ(sources[1].waited_us, 35);
  EXPECT_EQ(sources[1].what, "local load, local store: +35.0 us of warps' time waited for it");
  EXPECT_EQ(sources[1].kernel, "");
}

TEST(SampledSources, AreThreeAndNoneBelowAHundredthOfTheDifference) {
  std::vector<DifferentLine> lines;
  for (const auto& [line, us] : {std::pair(10, 5.), {20, 0.9}, {30, 7.}, {40, 1.1}, {50, 6.}})
    lines.push_back(Line(line, {{{Operation::kLocalLoad, "long_scoreboard"}, us}}));
  EXPECT_THAT(SourcesOf("local_memory_array", 20, lines), ElementsAre(At(30), At(50), At(10)));
  EXPECT_THAT(SourcesOf("local_memory_array", 20, {lines[1], lines[3]}), ElementsAre(At(40)));
}

TEST(SampledSources, KeepWhatWasCountedWhereSamplesShowNothing) {
  EXPECT_THAT(SourcesOf("local_memory_array", 60, {Line(20, {{{Operation::kFp32, "wait"}, 70}})}), ElementsAre(At(1)));
  EXPECT_THAT(SourcesOf("local_memory_array", 60, {Line(20, {{{Operation::kLocalLoad, "wait"}, -70}})}),
              ElementsAre(At(1)))
      << "it became less there";
  DifferentLine nowhere = Line(0, {{{Operation::kLocalLoad, "wait"}, 70}});
  nowhere.candidate->part = "local load outside loops of k";
  EXPECT_THAT(SourcesOf("local_memory_array", 60, {nowhere}), ElementsAre(At(1))) << "no line is known";
  EXPECT_THAT(SourcesOf("clock", 60, {Line(20, {{{Operation::kLocalLoad, "wait"}, 70}})}), ElementsAre(At(1)))
      << "a cause that is no line's";
}

TEST(SampledSources, OfACauseThatWentAwayStandInTheBase) {
  DifferentLine gone = Line(10, {{{Operation::kLocalLoad, "wait"}, -70}});
  gone.candidate.reset();
  const auto sources = SourcesOf("local_memory_array", -60, {gone});
  ASSERT_THAT(sources, ElementsAre(At(10)));
  EXPECT_EQ(sources[0].waited_us, -70);
}

TEST(SampledSources, AreWhereWarpsStoodForWhatAnInstructionItselfLacks) {
  const CostByKind missed = {{{Operation::kFp32, "imc_miss"}, 30}};
  EXPECT_THAT(SourcesOf("constant_cache", 60, {Line(10, missed, {}), Line(20, {}, missed)}), ElementsAre(At(20)));
  EXPECT_THAT(SourcesOf("constant_cache", 60, {Line(20, {}, missed)})[0].what, HasSubstr("stood there"));
}

// A warp that waits in BAR is seen at the instruction behind it: what is blamed on the barrier tells, not who stood.
TEST(SampledSources, OfAdditionalBarriersAreTheBarriers) {
  const CostByKind behind = {{{Operation::kBranch, "barrier"}, 30}};
  EXPECT_THAT(SourcesOf("barrier", 60, {Line(10, {{{Operation::kBarrier, "barrier"}, 30}}), Line(20, {}, behind)}),
              ElementsAre(At(10)));
}

}  // namespace
}  // namespace culprit
