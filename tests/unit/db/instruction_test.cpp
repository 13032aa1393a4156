// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <tuple>

#include "db/database.h"
#include "tests/support/raw_sqlite.h"
#include "tests/support/scratch.h"
#include "tests/support/small_run.h"

namespace culprit {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Pair;
using testing::UnorderedElementsAre;

const std::vector<std::string>& Metrics() {
  static const std::vector<std::string> metrics = {
      "sass_inst",           "sass_thread_inst",       "sass_shared_inst",
      "sass_ldsm_inst",      "sass_shared_wavefronts", "sass_shared_wavefronts_ideal",
      "sass_global_inst",    "sass_global_sectors",    "sass_shared_load_inst",
      "sass_memory_32b_inst"};
  return metrics;
}

Reading Exact(const std::string& id, double value) {
  return {{id, "sass", "smsp__" + id, "inst", "counted one by one"}, value, ReadingStatus::kOk};
}

std::vector<Reading> ExactReadings() {
  std::vector<Reading> readings;
  for (const std::string& metric : Metrics()) readings.push_back(Exact(metric, 1000));
  return readings;
}

InstructionRecord SharedLoad(std::string function, std::int64_t pc, double executed, double wavefronts) {
  return {std::move(function),
          pc,
          "kernels/sgemm/v_study.cuh",
          101,
          {{"sass_inst", executed}, {"sass_shared_inst", executed}, {"sass_shared_wavefronts", wavefronts}},
          "LDS"};
}

std::vector<std::tuple<std::string, std::int64_t, std::string, int, std::map<std::string, double>, std::string>> Fields(
    const std::vector<InstructionRecord>& instructions) {
  std::vector<std::tuple<std::string, std::int64_t, std::string, int, std::map<std::string, double>, std::string>>
      fields;
  for (const InstructionRecord& i : instructions)
    fields.emplace_back(i.function, i.pc_offset, i.source_file, i.source_line, i.counts, i.opcode);
  return fields;
}

class Instructions : public testing::Test {
 protected:
  Instructions() {
    run = db.BeginRun(ARun("aaaa"));
    db.StoreStage(run, AStage("v1_7"), {});
    launch = db.StoreLaunch(run, ALaunch("v1_7", 1024), Samples({10.5}));
    db.StoreReadings(launch, ExactReadings());
  }
  Scratch scratch;
  Database db = Database::OpenForRecording(scratch / "m.db");
  RunId run = 0;
  LaunchId launch = 0;
};

TEST_F(Instructions, ComeBackByFunctionAndOffset) {
  const auto store = std::vector{SharedLoad("k", 160, 4, 8), SharedLoad("k", 32, 4, 4), SharedLoad("a", 512, 2, 2)};
  db.StoreInstructions(launch, store);
  EXPECT_EQ(Fields(db.Instructions(launch)), Fields({store[2], store[1], store[0]}));
}

TEST_F(Instructions, AreNoneUntilTheyAreStored) { EXPECT_TRUE(db.Instructions(launch).empty()); }

TEST_F(Instructions, MayBeOfAnyKindCountedOrNot) {
  const auto store =
      std::vector{InstructionRecord{"k", 0, "a.cu", 1, {{"sass_inst", 4}, {"sass_thread_inst", 128}}, "FFMA"},
                  InstructionRecord{"k", 16, "a.cu", 1, {{"sass_inst", 0}, {"sass_shared_inst", 0}}, "LDS"},
                  InstructionRecord{"k", 32, "a.cu", 1, {{"sass_inst", 4}, {"sass_thread_inst", 128}}, "BAR"},
                  InstructionRecord{"k", 48, "", 0, {}, "EXIT"}};
  db.StoreInstructions(launch, store);
  EXPECT_EQ(Fields(db.Instructions(launch)), Fields(store));
  EXPECT_EQ(db.LoadKernel(launch).barriers, 4);
}

TEST_F(Instructions, AreReplacedWhenTheyAreStoredAgain) {
  db.StoreInstructions(launch, std::vector{SharedLoad("k", 32, 4, 8), SharedLoad("k", 48, 4, 8)});
  db.StoreInstructions(launch, std::vector{SharedLoad("k", 48, 5, 5)});
  EXPECT_EQ(Fields(db.Instructions(launch)), Fields({SharedLoad("k", 48, 5, 5)}));
  EXPECT_EQ(RawSqlite(scratch / "m.db").Text("SELECT count(*) FROM instruction_value"), "3");
}

TEST_F(Instructions, GoWithTheLaunchThatIsMeasuredAgain) {
  db.StoreInstructions(launch, std::vector{SharedLoad("k", 32, 4, 8)});
  const LaunchId again = db.StoreLaunch(run, ALaunch("v1_7", 1024), Samples({10.5}));
  EXPECT_TRUE(db.Instructions(again).empty());
  EXPECT_EQ(RawSqlite(scratch / "m.db").Text("SELECT count(*) FROM instruction_value"), "0");
}

TEST_F(Instructions, OfWhatCannotBeStoredLeaveNothingBehind) {
  db.StoreInstructions(launch, std::vector{SharedLoad("k", 32, 4, 8)});
  const auto complaint = [&](std::vector<InstructionRecord> instructions) {
    return ComplaintOf([&] { db.StoreInstructions(launch, instructions); });
  };
  auto unknown = SharedLoad("k", 64, 1, 1);
  unknown.counts["sass_unicorns"] = 1;
  EXPECT_THAT(complaint({SharedLoad("k", 48, 1, 1), unknown}), HasSubstr("store the readings of launch"));
  auto unread = SharedLoad("k", 64, 1, 1);
  unread.counts["sass_global_sectors"] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(complaint({unread}), HasSubstr("leave out what was not counted"));
  EXPECT_THAT(complaint({SharedLoad("k", 48, 1, 1), SharedLoad("k", 48, 1, 1)}), HasSubstr("twice"));
  EXPECT_THAT(ComplaintOf([&] { db.StoreInstructions(77, {}); }), HasSubstr("there is no launch 77"));
  EXPECT_EQ(Fields(db.Instructions(launch)), Fields({SharedLoad("k", 32, 4, 8)}));
}

// A later collection may describe a metric in other words; the instructions keep what they were stored with.
TEST_F(Instructions, TravelEvenWhenTheReadingsTookAnotherSpelling) {
  db.StoreInstructions(launch, std::vector{SharedLoad("k", 32, 4, 8)});
  auto reading = Exact("sass_shared_wavefronts", 8);
  reading.metric.meaning = "in other words";
  db.StoreReadings(launch, std::vector{reading});
  Database copy = Database::OpenForRecording(scratch / "copy.db");
  copy.Import(db.Export(), "m.sql");
  EXPECT_EQ(Fields(copy.Instructions(copy.Launches(copy.FindRun({}).id, "").at(0))),
            Fields({SharedLoad("k", 32, 4, 8)}));
}

// What is kept of a kernel of 400 instructions a quarter of which touch memory, with the metrics that CUPTI reports.
TEST_F(Instructions, AddAtMostSixteenKilobytesToTheTextOfALaunch) {
  const std::size_t before = db.Export().size();
  std::vector<Reading> readings;
  std::vector<InstructionRecord> instructions;
  // The other metrics of a full recording, so that ids have as many digits as there.
  for (int i = 0; i < 120; ++i) readings.push_back(Exact(fmt::format("metric_{}", i), 1));
  db.StoreReadings(launch, readings);
  const std::size_t with_readings = db.Export().size();
  for (int i = 0; i < 400; i += 4) {
    InstructionRecord r{"sgemm_tile_2d_reg", i * 16, "kernels/sgemm/sgemm_tile_2d_reg.cu", 40 + i % 30, {}};
    r.counts = {{"sass_inst", 33'554'432},
                {"sass_thread_inst", 1'073'741'824},
                {"sass_shared_inst", 33'554'432},
                {"sass_shared_load_inst", 33'554'432},
                {"sass_memory_32b_inst", 33'554'432},
                {"sass_shared_wavefronts", 134'217'728},
                {"sass_shared_wavefronts_ideal", 33'554'432}};
    r.opcode = "LDS";
    instructions.push_back(std::move(r));
  }
  db.StoreInstructions(launch, instructions);
  const std::size_t added = db.Export().size() - with_readings;
  RecordProperty("bytes", static_cast<int>(added));
  std::printf("%zu bytes for 100 instructions, after %zu for the readings\n", added, with_readings - before);
  EXPECT_EQ(db.Instructions(launch).size(), 100u);
  EXPECT_LE(added, 16'384u);
}

std::vector<InstructionRecord> AnyInstructions() {
  std::map<std::pair<std::string, std::int64_t>, InstructionRecord> unique;
  const int count = *rc::gen::inRange(0, 6);
  for (int i = 0; i < count; ++i) {
    InstructionRecord r;
    r.function = *rc::gen::element<std::string>("k", "_Z3foov", "it's");
    r.pc_offset = 16 * *rc::gen::inRange<std::int64_t>(0, 1000);
    r.source_file = *rc::gen::element<std::string>("", "kernels/a b.cu", "quote'.cu");
    r.source_line = *rc::gen::inRange(0, 1000);
    r.opcode = *rc::gen::element<std::string>("", "LDS", "BAR", "FFMA");
    for (const std::string& metric : Metrics())
      if (*rc::gen::arbitrary<bool>())
        r.counts[metric] = static_cast<double>(*rc::gen::inRange<std::int64_t>(0, 1L << 40));
    unique[{r.function, r.pc_offset}] = r;
  }
  std::vector<InstructionRecord> instructions;
  for (auto& [key, record] : unique) instructions.push_back(std::move(record));
  return instructions;
}

std::vector<SharedAccess> AnyAccesses() {
  std::vector<SharedAccess> accesses;
  const int count = *rc::gen::inRange(0, 4);
  for (int i = 0; i < count; ++i) {
    SharedAccess a;
    a.name = fmt::format("{} {}", *rc::gen::element<std::string>("store A", "it's"), count - i);
    a.array = *rc::gen::element<std::string>("A", "B", "");
    a.row_bytes = *rc::gen::inRange(0, 1024);
    a.op = *rc::gen::element(SharedOp::kLoad, SharedOp::kStore, SharedOp::kLoadMatrix, SharedOp::kStoreMatrix);
    a.lane_bytes = *rc::gen::element(4, 8, 16);
    for (auto& address : a.address)
      address = *rc::gen::arbitrary<bool>() ? kInactiveLane : *rc::gen::inRange<std::int64_t>(0, 1 << 18);
    accesses.push_back(std::move(a));
  }
  return accesses;
}

RC_GTEST_PROP(StoredAndTravelled, InstructionsAndSharedAccessesAreTheSame, ()) {
  const Scratch scratch;
  Database db = Database::OpenForRecording(scratch / "m.db");
  const RunId run = db.BeginRun(ARun("aaaa"));
  StageRecord stage = AStage("v1_7");
  stage.shared_accesses = AnyAccesses();
  db.StoreStage(run, stage, {});
  std::map<std::string, std::vector<InstructionRecord>> by_shape;
  for (const int extent : {512, 1024}) {
    const LaunchId launch = db.StoreLaunch(run, ALaunch("v1_7", extent), Samples({10.5}));
    db.StoreReadings(launch, ExactReadings());
    const auto instructions = AnyInstructions();
    db.StoreInstructions(launch, instructions);
    by_shape[ALaunch("v1_7", extent).shape] = instructions;
  }
  db.FinishRun(run);
  const std::string text = db.Export();
  Database copy = Database::OpenForRecording(scratch / "copy.db");
  copy.Import(text, "m.sql");
  RC_ASSERT(copy.Export() == text);
  for (const Database* each : {&db, &copy}) {
    const RunId its_run = each->FindRun({}).id;
    RC_ASSERT(each->Stages(its_run).at(0).shared_accesses == stage.shared_accesses);
    RC_ASSERT(each->FindKernel("v1_7", {}).stage.shared_accesses == stage.shared_accesses);
    for (const LaunchId launch : each->Launches(its_run, ""))
      RC_ASSERT(Fields(each->Instructions(launch)) == Fields(by_shape.at(each->LoadKernel(launch).launch.shape)));
  }
}

class SharedAccesses : public testing::Test {
 protected:
  SharedAccess Access(std::string name, int row_bytes) {
    SharedAccess access;
    access.name = std::move(name);
    access.array = "A";
    access.row_bytes = row_bytes;
    for (int lane = 0; lane < kWarpLanes; ++lane) access.address[lane] = lane * row_bytes;
    return access;
  }
  StageRecord Stage(std::vector<SharedAccess> accesses) {
    StageRecord stage = AStage("v1_7");
    stage.shared_accesses = std::move(accesses);
    return stage;
  }
  Scratch scratch;
  Database db = Database::OpenForRecording(scratch / "m.db");
};

TEST_F(SharedAccesses, AreReplacedWhenTheRunStatesTheStageAgain) {
  const RunId run = db.BeginRun(ARun("aaaa"));
  db.StoreStage(run, Stage({Access("store A", 512), Access("load A", 512)}), {});
  db.StoreStage(run, Stage({Access("store A", 528)}), {});
  EXPECT_EQ(db.Stages(run).at(0).shared_accesses, std::vector{Access("store A", 528)});
}

TEST_F(SharedAccesses, OfOneStageMayDifferBetweenRuns) {
  const RunId a = db.BeginRun(ARun("aaaa")), b = db.BeginRun(ARun("bbbb"));
  db.StoreStage(a, Stage({Access("store A", 512)}), {});
  db.StoreStage(b, Stage({Access("store A", 528)}), {});
  EXPECT_EQ(RawSqlite(scratch / "m.db").Text("SELECT count(*) FROM stage"), "1");
  EXPECT_EQ(db.Stages(a).at(0).shared_accesses, std::vector{Access("store A", 512)});
  EXPECT_EQ(db.Stages(b).at(0).shared_accesses, std::vector{Access("store A", 528)});
  Database copy = Database::OpenForRecording(scratch / "copy.db");
  copy.Import(db.Export(), "m.sql");
  EXPECT_EQ(copy.Stages(copy.FindRun({"aaaa"}).id).at(0).shared_accesses, std::vector{Access("store A", 512)});
  EXPECT_EQ(copy.Stages(copy.FindRun({"bbbb"}).id).at(0).shared_accesses, std::vector{Access("store A", 528)});
}

TEST_F(SharedAccesses, ThatNobodyCouldReadAreNotImported) {
  const RunId run = db.BeginRun(ARun("aaaa"));
  db.StoreStage(run, Stage({Access("store A", 512)}), {});
  const std::string text = db.Export(), row = "'A',512,'ld',4,'[0,512,";
  ASSERT_NE(text.find(row), text.npos) << text;
  Database copy = Database::OpenForRecording(scratch / "copy.db");
  for (const auto& [instead, complaint] :
       std::map<std::string, std::string>{{"'A',512,'ld',4,'[0,5i2,", "store A"},
                                          {"'A',512,'ld',4,'[0,-512,", "store A"},
                                          {"'A',512,'ld',4,'[0,0,512,", "store A"},
                                          {"'A',512,'ld',4,'{0,512,", "store A"},
                                          {"'A',512,'ld',7,'[0,512,", "CHECK constraint failed: lane_bytes"},
                                          {"'A',-1,'ld',4,'[0,512,", "shared_access.row_bytes is -1"},
                                          {"'A',512,'lds',4,'[0,512,", "CHECK constraint failed: op"}}) {
    std::string changed = text;
    changed.replace(changed.find(row), row.size(), instead);
    const std::string said = ComplaintOf([&] { copy.Import(changed, "travel.sql"); });
    EXPECT_THAT(said, AllOf(HasSubstr("travel.sql"), HasSubstr(complaint), HasSubstr("nothing was imported")))
        << instead;
    EXPECT_TRUE(copy.Runs().empty()) << instead;
  }
  EXPECT_EQ(copy.Import(text, "travel.sql").runs_added, 1);
}

TEST_F(SharedAccesses, MoveAlongWhenTheStageIsDescribedInOtherWords) {
  const RunId run = db.BeginRun(ARun("aaaa"));
  db.StoreStage(run, Stage({Access("store A", 512)}), {});
  StageRecord other = Stage({Access("store A", 512)});
  other.idea = "the same in other words";
  db.StoreStage(run, other, {});
  EXPECT_EQ(RawSqlite(scratch / "m.db").Text("SELECT count(*) FROM shared_access"), "1");
  EXPECT_EQ(db.Stages(run).at(0).shared_accesses, std::vector{Access("store A", 512)});
}

TEST_F(SharedAccesses, OfOneNameAreRefusedWithASentence) {
  const RunId run = db.BeginRun(ARun("aaaa"));
  EXPECT_THAT(ComplaintOf([&] {
                db.StoreStage(run, Stage({Access("store A", 4), Access("store A", 8)}), {});
              }),
              HasSubstr("two shared accesses called 'store A'"));
  EXPECT_TRUE(db.Stages(run).empty());
}

}  // namespace
}  // namespace culprit
