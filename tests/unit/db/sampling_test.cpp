// SPDX-License-Identifier: Apache-2.0
// What sampling saw of launches: stored, read, replaced, exported, and what it costs.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <random>
#include <thread>
#include <tuple>

#include "db/database.h"
#include "tests/support/child_process.h"
#include "tests/support/raw_sqlite.h"
#include "tests/support/scratch.h"
#include "tests/support/small_run.h"

namespace culprit {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::string kKernel = "sgemm_kernel";
const SourceFrame kIntrinsic{"sm_90_intrinsics.hpp", 77}, kLine{"kernels/sgemm/v_study.cuh", 101};

MachineCode ACode(std::string function = kKernel) {
  return {std::move(function),
          "0123456789abcdef",
          {{.pc_offset = 0,
            .low = 0x00000a0000017a02,
            .high = 0x000fc40000000f00,
            .opcode = "MOV",
            .operands = "R1, c[0x0][0x28]",
            .stall_cycles = 2,
            .yield = false,
            .write_scoreboard = -1,
            .read_scoreboard = -1,
            .wait_mask = 0,
            .frames = {kLine}},
           {.pc_offset = 16,
            .low = 0xfedcba9876543210,
            .high = 0x8000000000000001,
            .opcode = "LDG.E.128",
            .operands = "R4, desc[UR4][R2.64+0x10]",
            .stall_cycles = 15,
            .yield = true,
            .write_scoreboard = 5,
            .read_scoreboard = 0,
            .wait_mask = 63,
            .frames = {kIntrinsic, kLine}},
           {.pc_offset = 32, .low = 0, .high = 0, .opcode = "", .operands = "", .frames = {}}},
          {{{kLine.file, 100}, ""}, {kLine, "  sum += a[k];\t// it's \"one\""}}};
}

SamplingRecord ASampling() {
  SamplingRecord sampling;
  sampling.period_cycles = 2048;
  sampling.launches = 3;
  sampling.samples = 120;
  sampling.dropped = 7;
  sampling.rows = {{"helper", 48, "selected", 5, 0},
                   {kKernel, 0, "selected", 10, 0},
                   {kKernel, 16, "long_scoreboard", 100, 90},
                   {kKernel, 16, "selected", 4, 0}};
  sampling.code = {ACode()};
  return sampling;
}

auto Fields(const PcSample& r) { return std::tuple(r.function, r.pc_offset, r.reason, r.samples, r.not_issued); }

void ExpectSame(const std::optional<SamplingRecord>& read, const SamplingRecord& stored) {
  ASSERT_TRUE(read);
  EXPECT_EQ(read->period_cycles, stored.period_cycles);
  EXPECT_EQ(read->launches, stored.launches);
  EXPECT_EQ(read->samples, stored.samples);
  EXPECT_EQ(read->dropped, stored.dropped);
  ASSERT_EQ(read->rows.size(), stored.rows.size());
  for (std::size_t i = 0; i < stored.rows.size(); ++i) EXPECT_EQ(Fields(read->rows[i]), Fields(stored.rows[i])) << i;
  ASSERT_EQ(read->code.size(), stored.code.size());
  for (std::size_t i = 0; i < stored.code.size(); ++i) {
    EXPECT_EQ(read->code[i].function, stored.code[i].function);
    EXPECT_EQ(read->code[i].digest, stored.code[i].digest);
    EXPECT_TRUE(read->code[i].instructions == stored.code[i].instructions) << stored.code[i].function;
    EXPECT_TRUE(read->code[i].quotes == stored.code[i].quotes) << stored.code[i].function;
  }
}

class Sampled : public testing::Test {
 protected:
  Sampled() {
    run = db.BeginRun(ARun("aaaa"));
    db.StoreStage(run, AStage("v1_7"), {});
    launch = db.StoreLaunch(run, ALaunch("v1_7"), Samples({10.5}));
  }
  std::string Count(const std::string& table) {
    return RawSqlite(scratch / "m.db").Text("SELECT count(*) FROM " + table);
  }

  Scratch scratch;
  Database db = Database::OpenForRecording(scratch / "m.db");
  RunId run = 0;
  LaunchId launch = 0;
};

TEST_F(Sampled, IsNotMeasuredUntilItIsStored) { EXPECT_FALSE(db.Sampling(launch)); }

TEST_F(Sampled, ComesBackWithItsCodeAndWithSamplesOfFunctionsWithoutCode) {
  db.StoreSampling(launch, ASampling());
  ExpectSame(db.Sampling(launch), ASampling());
}

TEST_F(Sampled, ComesBackInOrderHoweverItWasStored) {
  SamplingRecord mixed = ASampling();
  std::ranges::reverse(mixed.rows);
  std::ranges::reverse(mixed.code[0].instructions);
  db.StoreSampling(launch, mixed);
  ExpectSame(db.Sampling(launch), ASampling());
}

TEST_F(Sampled, MayHaveSeenNothing) {
  const SamplingRecord nothing{.period_cycles = 32, .launches = 1, .samples = 0, .dropped = 0, .rows = {}, .code = {}};
  db.StoreSampling(launch, nothing);
  ExpectSame(db.Sampling(launch), nothing);
}

TEST_F(Sampled, NamesTheReadersOwnLine) {
  db.StoreSampling(launch, ASampling());
  EXPECT_EQ(RawSqlite(scratch / "m.db").Dump("SELECT DISTINCT source_file, source_line FROM line_chain"),
            RawSqlite(scratch / "m.db").Dump("SELECT 'kernels/sgemm/v_study.cuh', 101"));
}

TEST_F(Sampled, KeepsTextsOfAnyKind) {
  SamplingRecord odd = ASampling();
  for (const std::string text :
       {"it's; DROP TABLE run;--", "\"[\\", "a\nb\tc", "\x01\x1f\x7f", "\xc3\xa9 \xff\xfe", "]]"}) {
    MachineInstruction i = odd.code[0].instructions.back();
    i.pc_offset += 16;
    i.opcode = text;
    i.operands = text + "x";
    i.frames = {{text, 1}, {"", 0}, {text + text, 2147483647}};
    odd.code[0].instructions.push_back(i);
    odd.rows.push_back({"z" + text, 0, text, 1, 1});
  }
  std::ranges::sort(odd.rows, {}, Fields);
  db.StoreSampling(launch, odd);
  ExpectSame(db.Sampling(launch), odd);
  Database copy = Database::OpenForRecording(scratch / "copy.db");
  const std::string text = db.Export();
  copy.Import(text, "m.sql");
  EXPECT_EQ(copy.Export(), text);
  ExpectSame(copy.Sampling(copy.Launches(copy.FindRun({}).id, "").at(0)), odd);
}

TEST_F(Sampled, HasTheTextOfItsLinesAsItsOwnRunHadIt) {
  db.StoreSampling(launch, ASampling());
  const RunId other = db.BeginRun(ARun("bbbb"));
  db.StoreStage(other, AStage("v1_7"), {});
  const LaunchId edited_launch = db.StoreLaunch(other, ALaunch("v1_7"), Samples({10.5}));
  SamplingRecord edited = ASampling();
  edited.code[0].quotes[1].text = "  sum -= a[k];";
  db.StoreSampling(edited_launch, edited);
  ExpectSame(db.Sampling(launch), ASampling());
  ExpectSame(db.Sampling(edited_launch), edited);
  // Of one run the first stands.
  db.StoreSampling(launch, edited);
  ExpectSame(db.Sampling(launch), ASampling());
}

TEST_F(Sampled, IsReplacedAsAWholeAndLeavesItsCodeOnce) {
  db.StoreSampling(launch, ASampling());
  SamplingRecord again = ASampling();
  again.samples = 10;
  again.rows = {{kKernel, 0, "wait", 10, 10}};
  db.StoreSampling(launch, again);
  ExpectSame(db.Sampling(launch), again);
  EXPECT_EQ(Count("instruction_sample"), "1");
  EXPECT_EQ(Count("sampled_code"), "1");
  EXPECT_EQ(Count("code WHERE digest <> ''"), "1");
  EXPECT_EQ(Count("code_instruction"), "3");
}

TEST_F(Sampled, GoesWithTheLaunchThatIsMeasuredAgain) {
  db.StoreSampling(launch, ASampling());
  const LaunchId again = db.StoreLaunch(run, ALaunch("v1_7"), Samples({10.5}));
  EXPECT_FALSE(db.Sampling(again));
  for (const char* table : {"sampling", "sampled_code", "instruction_sample"}) EXPECT_EQ(Count(table), "0") << table;
}

TEST_F(Sampled, SharesCodeBetweenLaunchesAndRuns) {
  db.StoreSampling(launch, ASampling());
  const RunId other = db.BeginRun(ARun("bbbb"));
  db.StoreStage(other, AStage("v1_7"), {});
  SamplingRecord second = ASampling();
  second.rows = {{kKernel, 16, "wait", 3, 1}};
  const LaunchId theirs = db.StoreLaunch(other, ALaunch("v1_7"), Samples({10.5}));
  db.StoreSampling(theirs, second);
  EXPECT_EQ(Count("code_instruction"), "3");
  EXPECT_EQ(Count("machine_instruction"), "3");
  ExpectSame(db.Sampling(launch), ASampling());
  ExpectSame(db.Sampling(theirs), second);
  // Each of them travels alone, and both together.
  const std::string both = db.Export();
  for (const auto& runs : {std::vector{run, other}, std::vector{other}}) {
    Database copy = Database::InMemory();
    copy.Import(db.Export(runs), "m.sql");
    ExpectSame(copy.Sampling(copy.Launches(copy.FindRun({"bbbb"}).id, "").at(0)), second);
  }
  Database merged = Database::InMemory();
  merged.Import(db.Export({other}), "other.sql");
  merged.Import(db.Export({run}), "run.sql");
  EXPECT_EQ(merged.Export(), both);
  EXPECT_EQ(merged.Import(both, "both.sql").runs_already_there, 2);
}

// A comment above a kernel moves its lines and leaves its bytes as they were.
TEST_F(Sampled, KeepsTheLinesOfEachRunWhereTheBytesAreTheSame) {
  db.StoreSampling(launch, ASampling());
  const LaunchId moved_launch = db.StoreLaunch(run, ALaunch("v1_7", 1024), Samples({10.5}));
  SamplingRecord moved = ASampling();
  for (MachineInstruction& i : moved.code[0].instructions)
    for (SourceFrame& frame : i.frames) ++frame.line;
  db.StoreSampling(moved_launch, moved);
  ExpectSame(db.Sampling(launch), ASampling());
  ExpectSame(db.Sampling(moved_launch), moved);
  EXPECT_EQ(Count("code_instruction"), "6");
  EXPECT_EQ(Count("machine_instruction"), "3");
}

TEST_F(Sampled, RefusesWhatCannotBeAndLeavesWhatIsThere) {
  db.StoreSampling(launch, ASampling());
  const auto complaint = [&](auto change) {
    SamplingRecord bad = ASampling();
    change(bad);
    return ComplaintOf([&] { db.StoreSampling(launch, bad); });
  };
  const auto at = [](SamplingRecord& s) -> MachineInstruction& { return s.code[0].instructions[1]; };
  EXPECT_THAT(complaint([](auto& s) { s.period_cycles = 0; }), HasSubstr("sampling.period_cycles is 0"));
  EXPECT_THAT(complaint([](auto& s) { s.launches = 0; }), HasSubstr("sampling.launches is 0"));
  EXPECT_THAT(complaint([](auto& s) { s.samples = -1; }), HasSubstr("sampling.samples is -1"));
  EXPECT_THAT(complaint([](auto& s) { s.dropped = std::numeric_limits<std::int64_t>::max(); }),
              HasSubstr("sampling.dropped is 9"));
  EXPECT_THAT(complaint([](auto& s) {
                s.rows[0].samples = -1;
                s.rows[0].not_issued = -5;
              }),
              HasSubstr(" is -"));
  EXPECT_THAT(complaint([](auto& s) { s.rows[0].not_issued = -1; }), HasSubstr("instruction_sample.not_issued is -1"));
  EXPECT_THAT(complaint([](auto& s) { s.rows[1].not_issued = 11; }), AllOf(HasSubstr("of 10 for selected, 11")));
  EXPECT_THAT(complaint([](auto& s) { s.rows[1].pc_offset = -16; }), HasSubstr("instruction_sample.pc_offset is -16"));
  EXPECT_THAT(complaint([](auto& s) { s.rows.push_back(s.rows[1]); }), HasSubstr("twice for selected"));
  EXPECT_THAT(complaint([](auto& s) { s.code.push_back(ACode()); }), HasSubstr("two codes of sgemm_kernel"));
  // Known code is not looked at again, so each of these is of new code.
  EXPECT_THAT(complaint([&](auto& s) { at(s).pc_offset = 0; }), HasSubstr("two instructions at 0x0"));
  EXPECT_THAT(complaint([&](auto& s) { at(s).pc_offset = -16; }), HasSubstr("code_instruction.pc_offset is -16"));
  EXPECT_THAT(complaint([&](auto& s) { at(s).stall_cycles = 16; }), HasSubstr("stall_cycles is 16"));
  EXPECT_THAT(complaint([&](auto& s) { at(s).write_scoreboard = -2; }), HasSubstr("write_scoreboard is -2"));
  EXPECT_THAT(complaint([&](auto& s) { at(s).read_scoreboard = 7; }), HasSubstr("read_scoreboard is 7"));
  EXPECT_THAT(complaint([&](auto& s) { at(s).wait_mask = 64; }), HasSubstr("wait_mask is 64"));
  EXPECT_THAT(complaint([&](auto& s) { s.code[0].quotes[0].at.line = 0; }), HasSubstr("source_text.source_line is 0"));
  EXPECT_THAT(complaint([&](auto& s) { at(s).frames[1].line = -1; }), HasSubstr("line_chain.source_line is -1"));
  EXPECT_THAT(ComplaintOf([&] { db.StoreSampling(77, ASampling()); }), HasSubstr("there is no launch 77"));
  ExpectSame(db.Sampling(launch), ASampling());
  EXPECT_EQ(Count("code"), "2") << "what was refused left rows behind";
}

TEST_F(Sampled, IsASentenceWhereAFileHoldsWhatCannotBe) {
  db.StoreSampling(launch, ASampling());
  db.FinishRun(run);
  const std::string whole = Bytes(scratch / "m.db");
  struct Case {
    const char *change, *said;
  };
  for (const Case& c :
       {Case{"UPDATE sampling SET period_cycles = -1", "sampling.period_cycles is -1"},
        Case{"UPDATE instruction_sample SET samples = -1", "instruction_sample.samples is -1"},
        Case{"UPDATE instruction_sample SET not_issued = samples + 1", "record the run again"},
        Case{"UPDATE machine_instruction SET encoding = 'xyz'", "not 32 hexadecimal digits"},
        Case{"UPDATE machine_instruction SET encoding = encoding || '0'", "not 32 hexadecimal digits"},
        Case{"UPDATE machine_instruction SET wait_mask = 64", "machine_instruction.wait_mask is 64"},
        Case{"UPDATE line_chain SET frames = '[[\"a\"' || id", "no list of files and lines"},
        Case{"UPDATE line_chain SET frames = '[\"a' || id || '\"]'", "no list of files and lines"},
        Case{"UPDATE line_chain SET frames = '[[\"a' || id || '\",\"b\"]]'", "line_chain.source_line is a text"},
        Case{"UPDATE line_chain SET frames = '[[\"a' || id || '\",-1]]'", "line_chain.source_line is -1"},
        Case{"UPDATE source_text SET source_line = -source_line", "source_text.source_line is -10"},
        Case{"PRAGMA foreign_keys = OFF; DELETE FROM code", "machine code that is not there"}}) {
    SCOPED_TRACE(c.change);
    const auto file = scratch / "changed.db";
    { Database::OpenForRecording(scratch / "m.db"); }
    RawSqlite(scratch / "m.db").Execute("PRAGMA wal_checkpoint(TRUNCATE)");
    Write(file, Bytes(scratch / "m.db"));
    RawSqlite(file).Execute(std::string("PRAGMA ignore_check_constraints = ON; DELETE FROM run_checksum;") + c.change);
    EXPECT_THAT(ComplaintOf([&] { Database::OpenForReading(file).Sampling(launch); }), HasSubstr(c.said));
  }
}

TEST_F(Sampled, IsNotImportedWithOtherInstructionsThanItsListingNames) {
  db.StoreSampling(launch, ASampling());
  const std::string text = db.Export();
  Database copy = Database::InMemory();
  for (const auto& [from, to] : {std::pair{"'MOV'", "'MOVX'"}, {"v_study.cuh\",101]", "v_study.cuh\",102]"}}) {
    std::string changed = text;
    ASSERT_NE(changed.find(from), changed.npos);
    changed.replace(changed.find(from), std::string(from).size(), to);
    EXPECT_THAT(ComplaintOf([&] { copy.Import(changed, "m.sql"); }),
                AllOf(HasSubstr("not those that its listing names"), HasSubstr("nothing was imported")));
  }
  EXPECT_EQ(copy.Import(text, "m.sql").runs_added, 1);
}

// Code of `instructions` instructions with samples for four reasons each.
SamplingRecord AKernel(int number, int instructions, std::minstd_rand& random) {
  SamplingRecord sampling{2048, 4, 0, 0, {}, {}};
  MachineCode code{fmt::format("sgemm_kernel_{}", number), fmt::format("{:016x}", number), {}};
  constexpr std::array kReasons = {"long_scoreboard", "not_selected", "selected", "wait"};
  for (int n = 0; n < instructions; ++n) {
    // As in the kernels of the ladder, a third stands there, or in another of them, more than once.
    const std::uint64_t word = n % 3 == 0 ? random() % 4096 : random() * 0x100000001ull;
    MachineInstruction i;
    i.pc_offset = 16 * n;
    i.low = word;
    i.high = 0x000fca0000000004;
    i.opcode = "FFMA";
    i.operands = fmt::format("R{}, R{}, R{}, R{}", word % 200, word % 201, word % 202, word % 203);
    i.stall_cycles = 5;
    i.frames = {{"kernels/sgemm/v_study.cuh", 100 + n / 12}};
    if (n % 4 == 0) i.frames.insert(i.frames.begin(), {"kernels/sgemm/tile.cuh", 10 + n % 30});
    code.instructions.push_back(i);
    for (const char* reason : kReasons) {
      const std::int64_t samples = 1 + random() % 40;
      sampling.rows.push_back({code.function, i.pc_offset, reason, samples, samples / 2});
      sampling.samples += samples;
    }
  }
  sampling.code.push_back(std::move(code));
  return sampling;
}

// As many stages as the ladder has.
TEST_F(Sampled, AddsAboutThreeAndAHalfMegabytesToTheTextOfALadder) {
  std::minstd_rand random(13);
  const std::size_t before = db.Export().size();
  for (int stage = 0; stage < 39; ++stage)
    db.StoreSampling(db.StoreLaunch(run, ALaunch("v1_7", 128 + stage), Samples({10.5})), AKernel(stage, 600, random));
  const std::size_t added = db.Export().size() - before;
  RecordProperty("bytes", static_cast<int>(added));
  EXPECT_LT(added, 4'000'000u);
}

TEST_F(Sampled, MayHaveAHundredThousandRows) {
  std::minstd_rand random(13);
  SamplingRecord large = AKernel(1, 20'000, random);
  for (int n = 0; n < 20'000; ++n) large.rows.push_back({large.code[0].function, 16 * n, "zz", 2, 1});
  db.StoreSampling(launch, large);
  EXPECT_EQ(db.Sampling(launch)->rows.size(), 100'000u);
}

TEST(SampledAndKilled, HasAllOfASamplingOrNothing) {
  const Scratch scratch;
  const auto file = scratch / "m.db";
  std::minstd_rand random(20261122);
  for (int round = 0; round < 6; ++round) {
    SCOPED_TRACE(round);
    BackgroundChild child([&](int report) {
      Database db = Database::OpenForRecording(file);
      const RunId run = db.BeginRun(ARun(fmt::format("{:04d}", round)));
      db.StoreStage(run, AStage("v1_7"), {});
      std::minstd_rand samples(1);
      for (int extent = 1;; ++extent) {
        const LaunchId launch = db.StoreLaunch(run, ALaunch("v1_7", extent), Samples({1.5}));
        if (write(report, "L", 1) != 1) return;
        db.StoreSampling(launch, AKernel(extent % 3, 200, samples));
      }
    });
    ASSERT_TRUE(child.WaitForReport());
    std::this_thread::sleep_for(std::chrono::microseconds(500 + random() % 60'000));
    child.Kill();
    const Database db = Database::OpenForReading(file);
    EXPECT_EQ(std::get<std::string>(db.Query("PRAGMA integrity_check").rows.at(0).at(0)), "ok");
    EXPECT_TRUE(db.Query("PRAGMA foreign_key_check").rows.empty());
    EXPECT_TRUE(
        db.Query("SELECT id FROM launch WHERE (SELECT count(*) FROM instruction_sample JOIN sampled_code ON "
                 "sampled_code.id = sampled_code_id WHERE launch_id = launch.id) <> 800 * (SELECT count(*) FROM "
                 "sampling WHERE launch_id = launch.id)")
            .rows.empty());
    EXPECT_TRUE(db.Query("SELECT id FROM code WHERE (SELECT count(*) FROM code_instruction WHERE code_id = code.id) <> "
                         "200")
                    .rows.empty());
  }
}

}  // namespace
}  // namespace culprit
