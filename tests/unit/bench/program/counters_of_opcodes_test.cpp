// SPDX-License-Identifier: Apache-2.0
#include "bench/program/counters_of_opcodes.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace culprit {
namespace {

// -1: left out.
double Of(std::string_view id, const std::vector<OpcodeCounter>& counters) {
  const auto found = std::ranges::find(counters, id, &OpcodeCounter::id);
  return found == counters.end() ? -1 : found->value;
}
double OfWarps(std::string_view id, const OpcodeCounts& executed, bool hopper = true) {
  return Of(id, CountersOfWarps(executed, hopper));
}
double OfThreads(std::string_view id, const OpcodeCounts& threads, bool hopper = true) {
  return Of(id, CountersOfThreads(threads, hopper));
}

TEST(CountersOfOpcodes, AddUpTheOpcodesOfAKind) {
  const OpcodeCounts executed = {{"LDS", 1},
                                 {"LDS.U.128", 20},
                                 {"STS.64", 300},
                                 {"LDSM.16.M88.4", 4000},
                                 {"BAR.SYNC.DEFER_BLOCKING", 50000},
                                 {"BAR.ARV", 600000}};
  EXPECT_EQ(OfWarps("shared_load_inst", executed), 21);
  EXPECT_EQ(OfWarps("shared_store_inst", executed), 300);
  EXPECT_EQ(OfWarps("shared_ldsm_inst", executed), 4000);
  EXPECT_EQ(OfWarps("barrier_inst", executed), 650000);
  EXPECT_EQ(OfWarps("local_load_inst", executed), 0) << "all that ran was counted";
  EXPECT_EQ(OfWarps("ffma_thread_inst", executed), -1) << "no count of threads";
}

TEST(CountersOfOpcodes, OfThreadsAreTheThreadsOfAKind) {
  const OpcodeCounts threads = {
      {"F2F.F64.F32", 1}, {"F2FP.BF16.F32.PACK_AB", 20}, {"I2FP.F32.S32", 300}, {"FFMA", 4000},
      {"FSEL", 50000},    {"HFMA2.MMA", 600000},         {"IMAD.WIDE", 7e6},    {"DFMA", 8e7},
      {"BAR.SYNC", 9e8}};
  EXPECT_EQ(OfThreads("conversion_thread_inst", threads), 321);
  EXPECT_EQ(OfThreads("ffma_thread_inst", threads), 4000);
  EXPECT_EQ(OfThreads("fp32_thread_inst", threads), 54000);
  EXPECT_EQ(OfThreads("fp16_thread_inst", threads), 600000);
  EXPECT_EQ(OfThreads("integer_thread_inst", threads), 7e6);
  EXPECT_EQ(OfThreads("fp64_thread_inst", threads), 8e7);
  EXPECT_EQ(OfThreads("barrier_inst", threads), -1) << "barriers count warps";
}

TEST(CountersOfOpcodes, AreLeftOutWhereNamesDoNotTell) {
  EXPECT_EQ(OfWarps("shared_load_inst", {{"LDS", 10}, {"LD.E", 5}}), -1) << "LD loads from any memory";
  EXPECT_EQ(OfWarps("shared_load_inst", {{"LDS", 10}, {"LD.E", 0}}), 10) << "it never ran";
  EXPECT_EQ(OfWarps("shared_store_inst", {{"STS", 10}, {"LD.E", 5}}), 10);
  EXPECT_EQ(OfWarps("global_load_requests", {{"LDG.E", 10}}), -1) << "a guard may switch it off";
  EXPECT_EQ(OfWarps("branch_inst", {{"BRA", 10}}), -1);
}

TEST(CountersOfOpcodes, KnowPipesOfHopperAlone) {
  const OpcodeCounts executed = {{"FFMA", 10}, {"LOP3.LUT", 5}, {"HFMA2.MMA", 3}, {"ULDC.64", 2}};
  EXPECT_EQ(OfWarps("pipe_fma_inst", executed), 10);
  EXPECT_EQ(OfWarps("pipe_alu_inst", executed), 5);
  EXPECT_EQ(OfWarps("pipe_tensor_inst", executed), 3);
  EXPECT_EQ(OfWarps("pipe_fma_inst", executed, false), -1);
  EXPECT_EQ(OfWarps("shared_load_inst", executed, false), 0);
}

// What a pipe or a kind of threads may count as well makes these counters unknown, and no others.
TEST(CountersOfOpcodes, AreLeftOutBesideAnOpcodeOfAnUnknownKind) {
  const OpcodeCounts counts = {{"FFMA", 10}, {"LDS", 4}, {"XYZZY.U32", 1}};
  EXPECT_EQ(OfWarps("pipe_fma_inst", counts), -1);
  EXPECT_EQ(OfWarps("shared_load_inst", counts), 4);
  EXPECT_EQ(OfThreads("ffma_thread_inst", counts), -1);
  const OpcodeCounts halves = {{"FFMA", 10}, {"HMNMX2", 1}};
  EXPECT_EQ(OfWarps("pipe_alu_inst", halves), -1) << "no row says which pipe has HMNMX2";
  EXPECT_EQ(OfThreads("fp16_thread_inst", halves), 1);
  const OpcodeCounts uniform = {{"FFMA", 10}, {"UIADD3", 2}, {"UTMALDG.2D", 1}};
  EXPECT_EQ(OfWarps("pipe_uniform_inst", uniform), -1);
  EXPECT_EQ(OfWarps("pipe_fma_inst", uniform), 10);
  EXPECT_EQ(OfThreads("ffma_thread_inst", uniform), 10);
  EXPECT_EQ(OfThreads("ffma_thread_inst", {{"FFMA", 10}, {"UFADD", 1}}, false), -1);
}

TEST(CountersOfOpcodes, WeighTheBytesOfAnAccessByItsExecutions) {
  const OpcodeCounts executed = {{"LDS", 300},
                                 {"STS.128", 100},
                                 {"LDG.E.U8.CONSTANT", 50},
                                 {"STG.E.U16", 50},
                                 {"LDGSTS.E.LTC128B.64", 50},
                                 {"LDL.128", 1000},
                                 {"RED.E.ADD.64", 1000}};
  EXPECT_DOUBLE_EQ(OfWarps("shared_access_bytes", executed), 7);         // (300 x 4 + 100 x 16) / 400
  EXPECT_DOUBLE_EQ(OfWarps("global_access_bytes", executed), 11.0 / 3);  // of 1, 2 and 8
  EXPECT_DOUBLE_EQ(OfWarps("sass_shared_width_inst", executed), 400);
  EXPECT_DOUBLE_EQ(OfWarps("sass_shared_narrow_inst", executed), 300);
  EXPECT_DOUBLE_EQ(OfWarps("sass_shared_spared_inst", executed), 225);  // three of four
  EXPECT_DOUBLE_EQ(OfWarps("sass_global_width_inst", executed), 150);
  EXPECT_DOUBLE_EQ(OfWarps("sass_global_narrow_inst", executed), 100);
  EXPECT_DOUBLE_EQ(OfWarps("sass_global_spared_inst", executed), 50 * 15.0 / 16 + 50 * 14.0 / 16);
}

TEST(CountersOfOpcodes, HaveNoWidthOfAccessesThatTheyDoNotKnow) {
  EXPECT_EQ(OfWarps("shared_access_bytes", {{"FFMA", 1}}), 0) << "there is no access";
  EXPECT_EQ(OfWarps("shared_access_bytes", {{"LD.E.64", 1}}), -1) << "it may be to shared memory";
  EXPECT_EQ(OfWarps("shared_access_bytes", {{"LDS.64", 1}, {"LD.E", 1}}), -1);
  EXPECT_EQ(OfWarps("shared_access_bytes", {{"LDS.64", 1}, {"LDSM.8.MT1616.2", 1}}), -1);
}

TEST(CountersOfOpcodes, ReadWidthsFromNames) {
  for (const auto& [opcode, bytes] : {std::pair("LDS", 4),
                                      {"LDS.U8", 1},
                                      {"STS.S16", 2},
                                      {"LDG.E", 4},
                                      {"LDG.E.LTC128B", 4},
                                      {"LDG.E.128.CONSTANT", 16},
                                      {"LDG.E.ENL2.256", 32},
                                      {"LDGSTS.E.BYPASS.LTC128B.128", 16},
                                      {"LDSM.16.M88", 4},
                                      {"LDSM.16.MT88.2", 8},
                                      {"STSM.16.M88.4", 16},
                                      {"LDL.64", 0},
                                      {"LD.E.64", 0},
                                      {"FFMA", 0}})
    EXPECT_EQ(AccessBytesOf(opcode), bytes) << opcode;
}

}  // namespace
}  // namespace culprit
