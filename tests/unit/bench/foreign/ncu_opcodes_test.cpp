// SPDX-License-Identifier: Apache-2.0
// Counts by opcode in reports of Nsight Compute, in the format that version 2025.3 prints.
#include "bench/foreign/ncu_opcodes.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "bench/foreign/report.h"
#include "db/database.h"

namespace culprit {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

TEST(NcuOpcodes, AreCountsByName) {
  EXPECT_THAT(NcuOpcodeCounts("6,144 (IMAD.WIDE: 5,120; BAR.SYNC.DEFER_BLOCKING: 1,024)", Thousands::kComma).value(),
              ElementsAre(Pair("BAR.SYNC.DEFER_BLOCKING", 1024), Pair("IMAD.WIDE", 5120)));
  EXPECT_THAT(NcuOpcodeCounts("6.144 (LDS: 6.144; STS: 0)", Thousands::kDot).value(),
              ElementsAre(Pair("LDS", 6144), Pair("STS", 0)));
  EXPECT_THAT(NcuOpcodeCounts("7 (LDS: 3; LDS: 4)", Thousands::kComma).value(), ElementsAre(Pair("LDS", 7)));
}

TEST(NcuOpcodes, AreNoneOfADamagedList) {
  for (const char* text : {"7",
                           "7 (3; 4)",
                           "7 (LDS: 3; LDG: 4",
                           "7 (LDS: 3; LDG: 4) ",
                           "7 (LDS: 3; LDG: 5)",
                           "7 (LDS: 8; LDG: -1)",
                           "7 (LDS: 7; LDG: nan)",
                           "7 (LDS: 7; LDG: )",
                           "7 (LDS: 7; )",
                           "7 (LDS: 7;LDG: 0)",
                           "7 (LDS 7)",
                           "7 (: 7)",
                           "7 (L DS: 7)",
                           "7 (LDS: 7 (0: 1))",
                           "7 ((LDS: 7)",
                           "7 (7: 7)",
                           "7 (LDS: 6.5; LDG: 0.5)",
                           "7 (LDS: inf)",
                           "n/a (LDS: 7)",
                           "(LDS: 7)",
                           "7 ()",
                           "0 ()",
                           " (",
                           ")",
                           "",
                           "1e300 (LDS: 1e300)",
                           "7 (LDS: 0x7)"})
    EXPECT_FALSE(NcuOpcodeCounts(text, Thousands::kComma)) << text;
}

TEST(NcuOpcodes, MayBeAsManyAsAChipCanHave) {
  std::string list;
  for (int i = 0; i < 10'000; ++i) list += fmt::format("{}OP{}: 1", i == 0 ? "" : "; ", i);
  EXPECT_EQ(NcuOpcodeCounts("10,000 (" + list + ")", Thousands::kComma).value().size(), 10'000u);
  EXPECT_FALSE(NcuOpcodeCounts("10,000 (" + list, Thousands::kComma));
  EXPECT_FALSE(NcuOpcodeCounts("10,001 (" + list + "; FFMA: 1)", Thousands::kComma)) << "no chip has so many";
}

const std::string kExecuted =
    "9,408 (FFMA: 4,096; LDS.128: 3,072; LDG.E: 1,024; F2F.F64.F32: 512; BAR.SYNC: 448; "
    "LDGSTS.E.64: 256)";
const std::string kThreads =
    "301,056 (FFMA: 131,072; LDS.128: 98,304; LDG.E: 32,768; F2F.F64.F32: 16,384; BAR.SYNC: "
    "14,336; LDGSTS.E.64: 8,192)";

// A launch on sm_90. Other metrics have instances as well.
std::string Table(const std::string& executed, const std::string& threads, const std::string& columns = "",
                  const std::string& units = "", const std::string& values = "") {
  return fmt::format(
      "\"ID\",\"Process ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\","
      "\"SM_A.Some.sm__cycles_active.avg\",\"gpu__time_duration.sum\",\"inst_executed\",\"{}\",\"{}\"{}\n"
      "\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"cycle\",\"ns\",\"inst\",\"\",\"\"{}\n"
      "\"0\",\"1\",\"k(int)\",\"(64, 2, 1)\",\"(3, 4, 5)\",\"0\",\"9.0\",\"(0 (+0): 0; 15 (+15): 7)\",\"12,500 (0: "
      "12,500)\",\"9,408 (0x7f00: 9,000; 0x7f10: 408)\",\"{}\",\"{}\"{}\n",
      kExecutedByOpcode, kThreadsByOpcode, columns, units, executed, threads, values);
}

ForeignReport Read(const std::string& text) {
  return ReadForeign(text, {"F", "/nowhere", "2026-11-21T00:25:46Z", "mine"});
}

const Reading* Find(const ForeignReport& report, std::string_view id) {
  const std::vector<Reading>& readings = report.launches.at(0).counted.at(0);
  const auto found = std::ranges::find_if(readings, [&](const Reading& r) { return r.metric.id == id; });
  return found == readings.end() ? nullptr : &*found;
}
// -1: not measured.
double ValueOf(const ForeignReport& report, std::string_view id) {
  const Reading* reading = Find(report, id);
  return reading == nullptr ? -1 : reading->value.value_or(-1);
}

bool SaysThatListsWereLeftOut(const ForeignReport& report) {
  return std::ranges::any_of(report.warnings, [](const Warning& w) { return w.code == "unread_opcodes"; });
}

TEST(NcuOpcodes, GiveALaunchItsCounters) {
  const ForeignReport report = Read(Table(kExecuted, kThreads));
  EXPECT_EQ(ValueOf(report, "barrier_inst"), 448);
  EXPECT_EQ(ValueOf(report, "conversion_thread_inst"), 16384);
  EXPECT_EQ(ValueOf(report, "ffma_thread_inst"), 131072);
  EXPECT_EQ(ValueOf(report, "shared_load_inst"), 3072);
  EXPECT_EQ(ValueOf(report, "pipe_fma_inst"), 4096);
  EXPECT_EQ(ValueOf(report, "pipe_xu_inst"), 512);
  EXPECT_EQ(ValueOf(report, "shared_access_bytes"), 16);
  EXPECT_DOUBLE_EQ(ValueOf(report, "global_access_bytes"), (1024 * 4 + 256 * 8) / 1280.0);
  EXPECT_EQ(ValueOf(report, "sass_inst"), 9408) << "the total before the instances";
  EXPECT_DOUBLE_EQ(report.launches.at(0).samples.at(0).time_us, 12.5);
  EXPECT_FALSE(SaysThatListsWereLeftOut(report));
  const Reading* barriers = Find(report, "barrier_inst");
  EXPECT_EQ(barriers->metric.source, "sass");
  EXPECT_EQ(barriers->metric.cupti_name, kExecutedByOpcode);
  EXPECT_EQ(barriers->metric.unit, "inst");
  EXPECT_EQ(Find(report, "conversion_thread_inst")->metric.unit, "thread-inst");
}

TEST(NcuOpcodes, ComeAfterWhatAColumnHas) {
  const std::string column = ",\"smsp__sass_inst_executed_op_shared_ld.sum\"";
  EXPECT_EQ(ValueOf(Read(Table(kExecuted, kThreads, column, ",\"inst\"", ",\"3,073\"")), "shared_load_inst"), 3073);
  EXPECT_EQ(ValueOf(Read(Table(kExecuted, kThreads, column, ",\"inst\"", ",\"n/a\"")), "shared_load_inst"), 3072);
}

TEST(NcuOpcodes, WithoutAListAreNotMeasured) {
  for (const char* total : {"9,408", "n/a", ""}) {
    const ForeignReport report = Read(Table(total, kThreads));
    for (const char* id : {"barrier_inst", "shared_load_inst", "shared_access_bytes"})
      EXPECT_EQ(ValueOf(report, id), -1) << id << " of " << total;
    EXPECT_EQ(ValueOf(report, "conversion_thread_inst"), 16384);
    EXPECT_FALSE(SaysThatListsWereLeftOut(report));
  }
}

TEST(NcuOpcodes, OfADamagedListAreNotMeasuredAndTheReportSaysSo) {
  for (const std::string& damaged : {kExecuted.substr(0, 40), kExecuted + ")", "9,408 (9,408)" + std::string(),
                                     "9,409" + kExecuted.substr(5), "nan" + kExecuted.substr(5)}) {
    const ForeignReport report = Read(Table(damaged, kThreads));
    EXPECT_EQ(ValueOf(report, "barrier_inst"), -1) << damaged;
    EXPECT_EQ(ValueOf(report, "conversion_thread_inst"), 16384);
    EXPECT_TRUE(SaysThatListsWereLeftOut(report)) << damaged;
  }
}

TEST(NcuOpcodes, AreStoredAsExactCounts) {
  Database database = Database::InMemory();
  database.Import(AsExport(Read(Table(kExecuted, kThreads))), "F");
  const KernelRecord kernel = database.LoadKernels(database.Runs().at(0).id).at(0);
  const auto barriers =
      std::ranges::find_if(kernel.readings, [](const Reading& r) { return r.metric.id == "barrier_inst"; });
  ASSERT_NE(barriers, kernel.readings.end());
  EXPECT_EQ(barriers->value, 448);
  EXPECT_EQ(barriers->metric.source, "sass");
}

}  // namespace
}  // namespace culprit
