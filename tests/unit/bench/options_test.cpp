// SPDX-License-Identifier: Apache-2.0
#include "bench/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "db/error.h"

namespace culprit {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

ParsedOptions Parse(std::vector<std::string> words) {
  words.insert(words.begin(), "gemm_bench");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  return ParseOptions(static_cast<int>(argv.size()), argv.data());
}

std::string Complaint(const std::vector<std::string>& words) {
  try {
    Parse(words);
  } catch (const Error& e) {
    return e.what();
  }
  return "(accepted)";
}

TEST(Options, RefuseNumbersThatWouldBecomeOthers) {
  for (const char* seed :
       {"1e20", "99999999999999999999", "-9223372036854775809", "010", "0x10", "1.5", " 1", "+1", ""})
    EXPECT_THAT(Complaint({"--seed", seed}), HasSubstr("is not a whole number of 64 bits")) << seed;
  EXPECT_EQ(Parse({"--seed", "-9223372036854775808"}).options.seed, std::numeric_limits<std::int64_t>::min());
  EXPECT_THAT(Complaint({"--samples", "010"}), HasSubstr("is not a whole number"));
  EXPECT_THAT(Complaint({"--count-repetitions", "1e20"}), HasSubstr("is not a whole number"));
}

TEST(Options, RefuseEmptyWords) {
  for (const char* option : {"--db", "--stages", "--shapes"})
    EXPECT_THAT(Complaint({option, ""}), HasSubstr("it is empty; leave the option out")) << option;
  EXPECT_THAT(Complaint({"--db="}), HasSubstr("--db"));
}

TEST(Options, AreTheDefaultsWhenNothingIsAsked) {
  const ParsedOptions p = Parse({});
  EXPECT_EQ(p.options.db, "");
  EXPECT_EQ(p.options.profile, std::nullopt);
  EXPECT_THAT(p.options.stages, IsEmpty());
  EXPECT_THAT(p.options.shapes, IsEmpty());
  EXPECT_EQ(p.options.l2, CacheState::kHot);
  EXPECT_EQ(p.options.seed, 1);
  EXPECT_EQ(p.options.count_repetitions, 3);
  EXPECT_EQ(p.options.samples, 0);
  EXPECT_EQ(p.options.label, "");
  EXPECT_FALSE(p.options.once || p.options.verify_only || p.options.count_only || p.help || p.list_only);
  EXPECT_THAT(p.google_benchmark, ElementsAre("gemm_bench"));
}

TEST(Options, TakeEveryFlag) {
  const BenchOptions o = Parse({"--db", "m.db", "--profile=full", "--stages", "v0", "--shapes", "1024", "--l2=flush",
                                "--seed", "42", "--label", "two words", "--count-only", "--count-repetitions", "5"})
                             .options;
  EXPECT_EQ(o.db, "m.db");
  EXPECT_EQ(o.profile, MetricSet::kFull);
  EXPECT_THAT(o.stages, ElementsAre("v0"));
  EXPECT_THAT(o.shapes, ElementsAre("1024"));
  EXPECT_EQ(o.l2, CacheState::kFlush);
  EXPECT_EQ(o.seed, 42);
  EXPECT_EQ(o.label, "two words");
  EXPECT_TRUE(o.count_only);
  EXPECT_EQ(o.count_repetitions, 5);
  EXPECT_TRUE(Parse({"--once"}).options.once);
  EXPECT_TRUE(Parse({"--verify-only"}).options.verify_only);
}

TEST(Options, RefuseTwoKindsOfRunAtOnce) {
  EXPECT_THAT(Complaint({"--once", "--verify-only"}), HasSubstr("give one of them"));
  EXPECT_THAT(Complaint({"--count-only", "--verify-only", "--profile", "--db", "m.db"}), HasSubstr("give one of them"));
}

TEST(Options, TakeValuesWithAndWithoutAnEqualsSign) {
  EXPECT_EQ(Parse({"--db=m.db"}).options.db, "m.db");
  EXPECT_EQ(Parse({"--seed=-3"}).options.seed, -3);
  EXPECT_EQ(Parse({"--l2", "hot"}).options.l2, CacheState::kHot);
  EXPECT_EQ(Parse({"--label=--profile"}).options.label, "--profile");
}

TEST(Options, TakeABareProfileForCore) {
  EXPECT_EQ(Parse({"--db", "m.db", "--profile"}).options.profile, MetricSet::kCore);
  EXPECT_EQ(Parse({"--profile", "--db", "m.db"}).options.profile, MetricSet::kCore);
  EXPECT_EQ(Parse({"--profile", "--db", "m.db"}).options.db, "m.db");
  EXPECT_EQ(Parse({"--profile", "--benchmark_filter=v0", "--db=m.db"}).options.profile, MetricSet::kCore);
}

TEST(Options, TakeAProfileWithAValue) {
  EXPECT_EQ(Parse({"--db", "m.db", "--profile", "full"}).options.profile, MetricSet::kFull);
  EXPECT_EQ(Parse({"--db", "m.db", "--profile=full"}).options.profile, MetricSet::kFull);
  EXPECT_EQ(Parse({"--db", "m.db", "--profile", "core"}).options.profile, MetricSet::kCore);
  EXPECT_EQ(Parse({"--db", "m.db", "--profile=none"}).options.profile, std::nullopt);
}

TEST(Options, SampleInstructionsWithTheFullProfileAndWithLinesAlone) {
  EXPECT_TRUE(Parse({"--db", "m.db", "--profile=full"}).options.lines);
  EXPECT_FALSE(Parse({"--db", "m.db", "--profile=core"}).options.lines);
  EXPECT_FALSE(Parse({}).options.lines);
  const BenchOptions lines = Parse({"--db", "m.db", "--profile", "lines"}).options;
  EXPECT_TRUE(lines.lines);
  EXPECT_EQ(lines.profile, std::nullopt) << "no counters";
  EXPECT_THAT(Complaint({"--profile=lines"}), HasSubstr("name one with --db FILE"));
}

TEST(Options, SampleCountersAndInstructionsWithoutReplay) {
  const BenchOptions sampled = Parse({"--db", "m.db", "--profile=sampled", "--count-only"}).options;
  EXPECT_TRUE(sampled.samples_counters);
  EXPECT_TRUE(sampled.lines);
  EXPECT_EQ(sampled.profile, std::nullopt) << "nothing is replayed";
  EXPECT_TRUE(sampled.Counts());
  for (const char* other : {"--profile=none", "--profile=core", "--profile=full", "--profile=lines"})
    EXPECT_FALSE(Parse({"--db", "m.db", other}).options.samples_counters) << other;
  EXPECT_THAT(Complaint({"--profile=sampled"}), HasSubstr("name one with --db FILE"));
  EXPECT_THAT(Complaint({"--db", "m.db", "--profile=sampled", "--l2=flush"}), HasSubstr("leave out --l2=flush"));
}

TEST(Options, TellAProcessThatMeasuresForAnotherWhereItsPipesAre) {
  EXPECT_EQ(Parse({"--culprit-parent=3,6"}).options.parent, "3,6");
  EXPECT_EQ(Parse({}).options.parent, "");
}

TEST(Options, RefuseAProfileThatThereIsNot) {
  EXPECT_THAT(Complaint({"--db", "m.db", "--profile=most"}), HasSubstr("--profile"));
  EXPECT_THAT(Complaint({"--db", "m.db", "--profile", "most"}), HasSubstr("--profile"));
}

TEST(Options, RefuseAProfileWithoutADatabase) {
  for (const char* profile : {"--profile", "--profile=core", "--profile=full", "--profile=lines"})
    EXPECT_THAT(Complaint({profile}), HasSubstr("name one with --db FILE")) << profile;
}

TEST(Options, NeedNoDatabaseWhereNothingIsCounted) {
  EXPECT_EQ(Complaint({"--profile=none"}), "(accepted)");
  for (const char* instead : {"--help", "--once", "--verify-only", "--benchmark_list_tests"})
    EXPECT_EQ(Complaint({"--profile=core", instead}), "(accepted)") << instead;
}

TEST(Options, RefuseToCountOnlyWithoutAProfile) {
  EXPECT_THAT(Complaint({"--db", "m.db", "--count-only"}), HasSubstr("add --profile"));
}

TEST(Options, RefuseToTakeNoSamples) {
  for (const char* count : {"0", "-1", "some"})
    EXPECT_THAT(Complaint({"--samples", count}), HasSubstr("--samples")) << count;
  EXPECT_EQ(Parse({"--samples=16"}).options.samples, 16);
}

TEST(Options, RefuseToCountNeverOrForEver) {
  for (const char* count : {"0", "-1", "101", "often"})
    EXPECT_THAT(Complaint({"--count-repetitions", count}), HasSubstr("--count-repetitions")) << count;
  EXPECT_EQ(Parse({"--count-repetitions=1"}).options.count_repetitions, 1);
  EXPECT_EQ(Parse({"--count-repetitions=100"}).options.count_repetitions, 100);
}

TEST(Options, SplitListsAtCommas) {
  const BenchOptions o = Parse({"--stages", "v1_*,cublas_sgemm", "--shapes=4096,2048x1024x512"}).options;
  EXPECT_THAT(o.stages, ElementsAre("v1_*", "cublas_sgemm"));
  EXPECT_THAT(o.shapes, ElementsAre("4096", "2048x1024x512"));
}

TEST(Options, EndAListWhereTheNextFlagBegins) {
  const ParsedOptions p = Parse({"--stages", "v0,v2", "--benchmark_filter=1024", "--shapes", "1024", "--db", "m.db"});
  EXPECT_THAT(p.options.stages, ElementsAre("v0", "v2"));
  EXPECT_THAT(p.options.shapes, ElementsAre("1024"));
  EXPECT_EQ(p.options.db, "m.db");
  EXPECT_THAT(p.google_benchmark, ElementsAre("gemm_bench", "--benchmark_filter=1024"));
}

TEST(Options, PassGoogleBenchmarksFlagsOnInOrder) {
  EXPECT_THAT(
      Parse({"--benchmark_filter=v1_6/.*", "--l2=hot", "--benchmark_format=json", "--v=2", "--benchmark_repetitions=5"})
          .google_benchmark,
      ElementsAre("gemm_bench", "--benchmark_filter=v1_6/.*", "--benchmark_format=json", "--v=2",
                  "--benchmark_repetitions=5"));
}

TEST(Options, NoticeThatOnlyAListIsWanted) {
  EXPECT_TRUE(Parse({"--benchmark_list_tests"}).list_only);
  EXPECT_TRUE(Parse({"--benchmark_list_tests=true"}).list_only);
  EXPECT_FALSE(Parse({"--benchmark_list_tests=false"}).list_only);
  EXPECT_THAT(Parse({"--benchmark_list_tests"}).google_benchmark, ElementsAre("gemm_bench", "--benchmark_list_tests"));
}

TEST(Options, RefuseWhatNobodyKnows) {
  for (const char* word : {"--bogus", "--benchmark", "v1_6", "-x", "--database=m.db"}) {
    EXPECT_THAT(Complaint({word}), HasSubstr(word));
    EXPECT_THAT(Complaint({word}), HasSubstr("--help")) << word;
  }
}

TEST(Options, RefuseValuesThatAreNone) {
  EXPECT_THAT(Complaint({"--seed", "many"}), HasSubstr("--seed"));
  EXPECT_THAT(Complaint({"--l2=warm"}), HasSubstr("--l2"));
  EXPECT_THAT(Complaint({"--db"}), HasSubstr("--db"));
}

TEST(Options, AskForHelpByEitherName) {
  EXPECT_TRUE(Parse({"--help"}).help);
  EXPECT_TRUE(Parse({"-h"}).help);
}

TEST(OptionsHelp, NamesEveryPublicFlagAndHidesTheWorkers) {
  const std::string help = OptionsHelp("gemm_bench");
  for (const char* flag :
       {"--db", "--profile", "--stages", "--shapes", "--l2", "--seed", "--label", "--once", "--verify-only",
        "--count-only", "--count-repetitions", "--samples", "--in-turns", "--help", "Exit status"})
    EXPECT_THAT(help, HasSubstr(flag));
  EXPECT_EQ(help.find("sass-worker"), help.npos);
}

TEST(Selected, TakesEverythingWithoutAGlob) { EXPECT_TRUE(Selected({}, "v1_6")); }

TEST(Selected, TakesWhatAnyGlobMatches) {
  EXPECT_TRUE(Selected({"v1_*"}, "v1_6_4"));
  EXPECT_TRUE(Selected({"cublas_sgemm", "v?"}, "v2"));
  EXPECT_TRUE(Selected({"v1_[67]"}, "v1_7"));
}

TEST(Selected, MatchesWholeIds) {
  EXPECT_FALSE(Selected({"v1_6"}, "v1_6_4"));
  EXPECT_FALSE(Selected({"sgemm"}, "cublas_sgemm"));
  EXPECT_FALSE(Selected({"V1_6"}, "v1_6"));
  EXPECT_FALSE(Selected({""}, "v1_6"));
}

TEST(Options, TurnsAreOfACertainNumberOfSamples) {
  EXPECT_FALSE(Parse({}).options.in_turns);
  EXPECT_TRUE(Parse({"--in-turns", "--samples=5"}).options.in_turns);
  EXPECT_THAT(Complaint({"--in-turns"}), HasSubstr("give it with --samples N"));
  EXPECT_TRUE(Parse({"--in-turns", "--help"}).help);
  for (const char* untimed : {"--once", "--verify-only"})
    EXPECT_THAT(Complaint({"--in-turns", "--samples=5", untimed}), HasSubstr("do not time"));
}

TEST(Options, ProcessesTimeAndStoreOrAreRefused) {
  EXPECT_EQ(Parse({}).options.processes, 1);
  EXPECT_EQ(Parse({"--processes", "8", "--db", "m.db"}).options.processes, 8);
  EXPECT_THAT(Complaint({"--processes", "8"}), HasSubstr("name one with --db FILE"));
  EXPECT_THAT(Complaint({"--processes", "0", "--db", "m.db"}), HasSubstr("--processes"));
  for (const char* untimed : {"--once", "--verify-only", "--count-only"})
    EXPECT_THAT(Complaint({"--processes=2", "--db", "m.db", "--profile=core", untimed}), HasSubstr("do not time"));
}

}  // namespace
}  // namespace culprit
