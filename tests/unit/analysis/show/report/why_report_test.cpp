// SPDX-License-Identifier: Apache-2.0
// What people and programs are shown of an explanation made by hand.
#include "analysis/show/report/why_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/kernel_builder.h"

namespace culprit {
namespace {

using ::testing::HasSubstr;
using testing::KernelBuilder;
using ::testing::Not;

struct Made {
  KernelBuilder base{"before"}, candidate{"after"};
  Explanation e;

  Made() {
    e.verdict.speed = Speed::kSlower;
    e.verdict.reason = "far beyond the noise.";
    e.base_us = 100.0;
    e.candidate_us = 150.0;
    e.unexplained_us = 10;
    CausePart part;
    part.cause = "global_uncoalesced";
    part.delta_us = 40;
    part.share = 0.8;
    part.text = "uncoalesced accesses cost 40 us.";
    part.evidence = {{"l2_sectors", "lts__t_sectors.sum", "sector", 1000.0, Measured::Missing(Absence::kDenied)},
                     {"registers", "", "register", 32.0, 32.0}};
    e.causes = {part};
    e.no_decomposition = "warps_active was not measured.";
  }
  std::string Text() const {
    std::ostringstream out;
    RenderText(MakeWhyReport(base.record, candidate.record, e, false), out);
    return out.str();
  }
  // On one line, whatever the width.
  std::string Words() const {
    std::ostringstream out;
    RenderText(MakeWhyReport(base.record, candidate.record, e, false), out, {.width = 5000});
    return out.str();
  }
  nlohmann::json Json() const {
    std::ostringstream out;
    RenderJson(MakeWhyReport(base.record, candidate.record, e, false), out);
    return nlohmann::json::parse(out.str());
  }
};

TEST(WhyReport, SaysWhatWasNotMeasuredInsteadOfNothingOrZero) {
  const Made made;
  EXPECT_THAT(made.Text(), HasSubstr("l2_sectors = 1,000 -> not measured (denied)"));
  const nlohmann::json evidence = made.Json().at("causes").at(0).at("evidence").at(0);
  EXPECT_TRUE(evidence.at("candidate").is_null());
  EXPECT_EQ(evidence.at("candidate_status"), "denied");
}

TEST(WhyReport, LeavesOutOfTheTextWhatDidNotMove) {
  const Made made;
  EXPECT_THAT(made.Text(), Not(HasSubstr("registers = ")));
  EXPECT_EQ(made.Json().at("causes").at(0).at("evidence").size(), 2u);  // programs get all
}

TEST(WhyReport, UsesCuptisNameWhereThereIsOne) {
  const nlohmann::json evidence = Made().Json().at("causes").at(0).at("evidence");
  EXPECT_EQ(evidence.at(0).at("metric"), "lts__t_sectors.sum");
  EXPECT_EQ(evidence.at(1).at("metric"), "registers");
}

TEST(WhyReport, ShowsThePartsTheRestAndTheirSum) {
  const std::string text = Made().Text();
  for (const char* line : {"+40.0 us   80.0 %", "+10.0 us   20.0 %", "+50.0 us  100.0 %"})
    EXPECT_THAT(text, HasSubstr(line));
}

// Half of the kernels recorded twice had other parts the second time: people get the interval that knows the model's
// error, programs both.
TEST(WhyReport, SaysWhereTheUnexplainedIsWhereItIsMuch) {
  Made made;
  made.e.decomposition.emplace();
  made.e.rest = {
      {"mio_throttle", 12, {{"shared load", 9}, {"shuffle", 2}, {"integer", 1}}}, {"hidden", -3}, {"wait", 1}};
  EXPECT_THAT(made.Text(), Not(HasSubstr("Not attributed, "))) << "a fifth of it";
  made.e.unexplained_us = 40;
  EXPECT_THAT(made.Text(), HasSubstr("Not attributed, 80.0 % of the change"));
  made.e.unexplained_us = 16;
  const std::string text = made.Text();
  EXPECT_THAT(text, HasSubstr("mio_throttle: +12.0 us, by samples because of shared load and shuffle\n"));
  EXPECT_THAT(text, HasSubstr("hidden behind what is waited for now: -3.0 us"));
  EXPECT_THAT(text, Not(HasSubstr("wait: +1.0 us"))) << "little of it";
  // They add up to it: 12 - 3 + 7 of 16.
  EXPECT_THAT(text, HasSubstr("others: +7.0 us"));
  made.e.within_noise = {{"barrier", 5}, {"clock", -1}};
  EXPECT_THAT(made.Text(), HasSubstr("causes that noise alone could make: +4.0 us"));
  EXPECT_THAT(made.Text(), HasSubstr("others: +3.0 us"));
  const nlohmann::json rest = made.Json().at("unexplained_in");
  ASSERT_EQ(rest.size(), 3u);  // programs get all
  EXPECT_EQ(rest.at(1).at("in"), "hidden");
  EXPECT_EQ(rest.at(1).at("delta_us"), -3);
  EXPECT_EQ(rest.at(0).at("sampled_operations").at(2).at("operation"), "integer");
}

TEST(WhyReport, CallsTheScatterOfARecordingNoInterval) {
  Made made;
  made.e.causes[0].scatter = Scatter{38, 42};
  made.e.causes[0].interval = Scatter{30, 50};
  const std::string text = made.Text();
  EXPECT_THAT(text, HasSubstr("90 % interval"));
  EXPECT_THAT(text, HasSubstr("+30.0 us .. +50.0 us"));
  EXPECT_THAT(text, Not(HasSubstr("+38.0 us .. +42.0 us")));
  const nlohmann::json json = made.Json();
  EXPECT_EQ(json.at("schema"), 2);
  EXPECT_EQ(json.at("causes").at(0).at("scatter_us").at("low"), 38);
  EXPECT_EQ(json.at("causes").at(0).at("interval90_us").at("low"), 30);
  EXPECT_FALSE(json.at("causes").at(0).contains("interval_us")) << "what schema 1 called the scatter";
}

TEST(WhyReport, SaysInTheTitleThatTheIntervalOfTheTimeContains0) {
  Made made;
  made.e.verdict.time = Shift{0.009, -0.002, 0.02};
  EXPECT_THAT(
      made.Text(),
      HasSubstr("after is slower than before by its cycles, and the interval of its time contains 0: 100.0 us"));
}

TEST(WhyReport, NamesBothWhereLargePartsCancel) {
  Made made;
  made.e.decomposition.emplace();
  made.e.causes[0].delta_us = 90;
  made.e.causes[0].share = 1.8;
  made.e.unexplained_us = -40;
  EXPECT_THAT(made.Text(), HasSubstr("none alone, because large parts cancel: global_uncoalesced +90.0 us (180.0 %)"));
  EXPECT_THAT(made.Json().at("headline").get<std::string>(), HasSubstr("against unexplained -40.0 us (-80.0 %)."));
}

TEST(WhyReport, RecommendsTheMapOfBanksOnlyWhereThereIsOne) {
  Made made;
  made.e.causes[0].cause = "shared_bank_conflicts";
  EXPECT_THAT(made.Text(), HasSubstr("what helps: pad or permute the rows\n"));
  made.candidate.record.stage.shared_accesses.emplace_back();
  EXPECT_THAT(made.Text(), HasSubstr("which lane meets which bank: culprit banks after"));
}

TEST(WhyReport, RecommendsAFullRecordingOnlyWhereItIsAnother) {
  Made made;
  made.e.causes[0].cause = "occupancy_shared";
  for (KernelRecord* kernel : {&made.base.record, &made.candidate.record}) kernel->run.run.profile = "core";
  EXPECT_THAT(made.Text(), HasSubstr("with as few (--profile=full does)"));
  for (KernelRecord* kernel : {&made.base.record, &made.candidate.record}) kernel->run.run.profile = "full";
  EXPECT_THAT(made.Text(), Not(HasSubstr("--profile=full")));
}

TEST(WhyReport, SaysTheSamplesOfTiedLinesOnceAndOnlyWithTheDetails) {
  Made made;
  for (const int line : {26, 27}) {
    CauseSource source{.file = "k.cu", .line = line, .what = "global atomic: +44.7 us of warps' time waited for it"};
    source.waited_us = 44.7;
    source.operations = "global atomic";
    source.instructions = {{"k", 16, "REDG.E", 100}};
    source.samples = 100;
    source.tied = true;
    made.e.causes[0].source.push_back(source);
  }
  CausePart second = made.e.causes[0];
  second.cause = "atomics";
  made.e.causes.push_back(second);
  const std::string text = made.Text();
  EXPECT_THAT(text, HasSubstr("at k.cu:26-27 (global atomic)"));
  EXPECT_THAT(text, HasSubstr("samples as under global_uncoalesced"));
  EXPECT_EQ(text.find("REDG.E", text.rfind("REDG.E") + 1), text.npos);
  const auto first = text.find("REDG.E"), last = text.rfind("REDG.E");
  EXPECT_EQ(std::count(text.begin() + first, text.begin() + last, '\n') < 6, true);
  std::ostringstream brief;
  RenderText(MakeWhyReport(made.base.record, made.candidate.record, made.e, false), brief, {.details = false});
  EXPECT_THAT(brief.str(), Not(HasSubstr("REDG.E")));
  EXPECT_THAT(brief.str(), HasSubstr("at k.cu:26-27 (global atomic)"));
  EXPECT_EQ(made.Json().at("causes").at(0).at("place"), "k.cu:26-27");
  EXPECT_EQ(made.Json().at("causes").at(0).at("source").at(0).at("tied"), true);
}

TEST(WhyReport, SaysWhetherThePartOfOccupancyWasMeasured) {
  Made made;
  made.e.causes[0].cause = "occupancy_shared";
  EXPECT_THAT(made.Text(), HasSubstr("modelled: "));
  EXPECT_EQ(made.Json().at("causes").at(0).at("basis"), "modelled");
  made.e.causes[0].measured = "measured: before takes 1.30x with 24 of its 64 resident warps";
  EXPECT_THAT(made.Text(), HasSubstr("measured: before takes 1.30x with 24 of its 64 resident warps"));
  EXPECT_THAT(made.Text(), Not(HasSubstr("modelled")));
  EXPECT_EQ(made.Json().at("causes").at(0).at("basis"), "measured");
}

TEST(WhyReport, SaysWhereAKernelWasLaunchedIfItsCauseHasNoLines) {
  Made made;
  made.candidate.record.program.emplace().stack = {{"/home/me/train.py", 42, "step"}};
  for (const char* cause : {"occupancy_shared", "imbalance_tail", "clock", "global_uncoalesced"}) {
    made.e.causes[0].cause = cause;
    made.e.causes[0].source = {{.file = "k.cu", .line = 3, .what = "", .kernel = "after"}};
    const auto launch = HasSubstr("in kernel after (k.cu:3), first launched at me/train.py:42 (step)");
    if (cause == std::string("global_uncoalesced"))
      EXPECT_THAT(made.Words(), Not(launch));
    else
      EXPECT_THAT(made.Words(), launch) << cause;
  }
}

// "more data asked of the caches" is not what saves time.
TEST(WhyReport, SaysOfAPartThatSavesTimeWhatItIs) {
  Made made;
  CausePart saves;
  saves.cause = "l2_traffic";
  saves.delta_us = -10;
  saves.share = -0.2;
  made.e.causes.push_back(saves);
  EXPECT_THAT(made.Text(), HasSubstr("less data asked of the caches"));
  EXPECT_THAT(made.Text(), Not(HasSubstr("more data asked")));
}

// What a stage accounts for is a share of the difference, not of the cause that it confirms.
TEST(WhyReport, AConfirmationAccountsForAPartOfTheWholeDifference) {
  Made made;
  made.e.decomposition.emplace();
  made.e.causes[0].interval = Scatter{25, 55};
  made.e.causes[0].confirmed_by = {
      {"padded", "after", "padding: none => 4", 120, 0.6, true, "", 30, Proof::kConfirmed, 28, true}};
  EXPECT_THAT(made.Words(), HasSubstr("Confirmed by a third kernel, padded: it accounts for 28.00 us of this cause, "
                                      "inside its interval."));
  EXPECT_THAT(made.Words(), HasSubstr("confirmed by the kernel padded (120.0 us), which is after but for padding: none "
                                      "=> 4: it accounts for 28.00 us of this cause, inside its interval; its time "
                                      "differs by 30.00 us (60.0 % of the difference), of several causes together"));
  const nlohmann::json json = made.Json().at("causes").at(0).at("confirmed_by").at(0);
  EXPECT_EQ(json.at("symptom_moved"), true);
  EXPECT_EQ(json.at("proof"), "confirmed");
  EXPECT_EQ(json.at("recovered_us"), 30);
  EXPECT_EQ(json.at("part_us"), 28);
  EXPECT_EQ(json.at("of_several"), true);
}

TEST(WhyReport, AConfirmationOutsideOfTheIntervalIsPartial) {
  Made made;
  made.e.decomposition.emplace();
  made.e.causes[0].interval = Scatter{35, 55};
  made.e.causes[0].confirmed_by = {
      {"padded", "after", "padding: none => 4", 120, 0.6, true, "", 30, Proof::kPartly, 30}};
  EXPECT_THAT(made.Words(), HasSubstr("Partly confirmed by a third kernel, padded: it accounts for 30.00 us of this "
                                      "cause, less than its interval allows."));
  EXPECT_THAT(made.Words(), HasSubstr("partly confirmed by the kernel padded"));
  EXPECT_EQ(made.Json().at("causes").at(0).at("confirmed_by").at(0).at("proof"), "partly");
}

TEST(WhyReport, ATestThatRemovedNothingIsInconclusive) {
  Made made;
  made.e.causes[0].refuted_by = {{"padded", "after", "padding: none => 4", 150, 0.001, false,
                                  "its padding removed none of the excess wavefronts (2 in both)", 0.05,
                                  Proof::kInconclusive}};
  EXPECT_THAT(made.Words(), HasSubstr("inconclusive: the kernel padded (150.0 us) is after but for padding: none => 4: "
                                      "it accounts for 0.1 % of the difference; its padding removed none of the excess "
                                      "wavefronts (2 in both)"));
  EXPECT_THAT(made.Words(), Not(HasSubstr("refuted")));
}

TEST(WhyReport, ACauseThatOnlyARefutationSpeaksOfHasNoNumber) {
  Made made;
  CausePart part;
  part.cause = "shared_bank_conflicts";
  part.text = "No part above the noise.";
  part.refuted_by = {{"padded", "after", "padding: none => 4", 150, 0.0, std::nullopt, "not measured"}};
  made.e.causes.push_back(part);
  const std::string text = made.Text();
  EXPECT_THAT(text, HasSubstr("2. shared_bank_conflicts\n     No part above the noise.\n"));
  EXPECT_THAT(text, Not(HasSubstr("+0.0 us")));
  EXPECT_TRUE(made.Json().at("causes").at(1).at("refuted_by").at(0).at("symptom_moved").is_null());
}

// Below the answer and above everything that rests on it.
TEST(WhyReport, WhatDiffersBesidesTheKernelsStandsRightBelowTheAnswer) {
  Made made;
  made.e.caveats = {"GPU differs: H100 against H200."};
  const std::string text = made.Text();
  const auto culprit = text.find("Culprit"), verdict = text.find("Verdict"), caveat = text.find("! GPU differs"),
             causes = text.find("\nCauses\n");
  ASSERT_NE(causes, text.npos);
  EXPECT_LT(culprit, verdict);
  EXPECT_LT(verdict, caveat);
  EXPECT_LT(caveat, causes);
}

TEST(WhyReport, NamesWhatKeptItFromDecomposing) {
  EXPECT_THAT(Made().Text(), HasSubstr("warps_active was not measured."));
  EXPECT_EQ(Made().Json().at("no_decomposition"), "warps_active was not measured.");
}

TEST(WhyReport, WithoutATimeThereIsNoDifference) {
  Made made;
  made.e.candidate_us = Measured::Missing(Absence::kFailed);
  made.e.verdict.speed = Speed::kAmbiguous;
  made.e.causes.clear();
  EXPECT_THAT(made.Text(), HasSubstr("after cannot be compared with before"));
  const nlohmann::json json = made.Json();
  for (const char* key : {"candidate_us", "delta_us", "unexplained_us"}) {
    EXPECT_TRUE(json.at(key).is_null()) << key;
    EXPECT_EQ(json.at(std::string(key) + "_status"), "failed") << key;
  }
}

TEST(WhyReport, ShapesTellTheTwoApartWhereTheyDiffer) {
  Made made;
  made.candidate.record.launch.shape = "4096x4096x4096";
  EXPECT_THAT(made.Text(), HasSubstr("after at 4096x4096x4096 is slower than before at 2048x2048x2048"));
}

}  // namespace
}  // namespace culprit
