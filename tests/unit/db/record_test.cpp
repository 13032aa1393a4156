// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "db/database.h"
#include "tests/support/scratch.h"
#include "tests/support/small_run.h"

namespace culprit {
namespace {

using testing::HasSubstr;

class Record : public testing::Test {
 protected:
  std::int64_t Count(const std::string& what) {
    return std::get<std::int64_t>(db.Query("SELECT count(*) FROM " + what).rows[0][0]);
  }

  Scratch scratch;
  Database db = Database::OpenForRecording(scratch / "m.db");
};

TEST_F(Record, GivesBackARunAsItWasStored) {
  RunRecord run = ARun("aaaa", "2026-11-21T00:25:46Z", "label 'with' quotes");
  run.profile = "full";
  run.l2 = "flush";
  run.seed = -7;
  run.git_dirty = true;
  const RunSummary back = (db.BeginRun(run), db.FindRun({}));
  EXPECT_EQ(back.run.uuid, run.uuid);
  EXPECT_EQ(back.run.label, run.label);
  EXPECT_EQ(back.run.command_line, run.command_line);
  EXPECT_EQ(back.run.profile, "full");
  EXPECT_EQ(back.run.l2, "flush");
  EXPECT_EQ(back.run.seed, -7);
  EXPECT_EQ(back.run.git_sha, run.git_sha);
  EXPECT_TRUE(back.run.git_dirty);
  EXPECT_EQ(back.run.device->name, run.device->name);
  EXPECT_EQ(back.run.device->dram_bytes_per_s, 3.35e12);
  EXPECT_EQ(back.run.device->memory_bytes, 85'000'000'000);
  EXPECT_EQ(back.run.device->max_blocks_per_sm, 32);
  EXPECT_EQ(back.run.toolchain.nvcc, "13.0.88");
  EXPECT_EQ(back.run.toolchain.driver, "580.159.04");
}

TEST_F(Record, TakesARunWithoutAGpu) {
  RunRecord run = ARun("aaaa");
  run.device.reset();
  db.BeginRun(run);
  EXPECT_FALSE(db.FindRun({}).run.device.has_value());
}

TEST_F(Record, StoresEqualDevicesToolchainsStagesAndMetricsOnce) {
  for (const char* uuid : {"aaaa", "bbbb", "cccc"}) RecordRun(db, ARun(uuid), {"v1_7", "v1_6"}, {1024, 2048});
  EXPECT_EQ(Count("device"), 1);
  EXPECT_EQ(Count("toolchain"), 1);
  EXPECT_EQ(Count("stage"), 2);
  EXPECT_EQ(Count("stage_factor"), 4);
  EXPECT_EQ(Count("metric"), 2);
  EXPECT_EQ(Count("run_stage"), 6);
}

TEST_F(Record, KeepsApartWhatDiffersInOneField) {
  RunRecord other = ARun("bbbb");
  other.device->sm_clock_mhz += 15;
  other.toolchain.driver = "581";
  db.BeginRun(ARun("aaaa"));
  db.BeginRun(other);
  EXPECT_EQ(Count("device"), 2);
  EXPECT_EQ(Count("toolchain"), 2);
}

TEST_F(Record, KeepsAnEditedStageAsASecondRow) {
  const RunId first = db.BeginRun(ARun("aaaa")), second = db.BeginRun(ARun("bbbb"));
  StageRecord edited = AStage("v1_7");
  edited.idea = "the same in other words";
  db.StoreStage(first, AStage("v1_7"), {});
  db.StoreStage(second, edited, {});
  EXPECT_EQ(db.Stages(first)[0].idea, "change one thing");
  EXPECT_EQ(db.Stages(second)[0].idea, "the same in other words");
  EXPECT_EQ(db.Stages(second)[0].factors, edited.factors);
}

TEST_F(Record, MovesLaunchesAlongWhenAStageIsRestatedWithinARun) {
  const RunId run = db.BeginRun(ARun("aaaa"));
  const BuildRecord build = ABuild("v1_7");
  db.StoreStage(run, AStage("v1_7"), {&build, 1});
  const LaunchId launch = db.StoreLaunch(run, ALaunch("v1_7"), Samples({1.0}));
  StageRecord edited = AStage("v1_7");
  edited.source_line = 99;
  db.StoreStage(run, edited, {});
  ASSERT_EQ(db.Stages(run).size(), 1u);
  EXPECT_EQ(db.LoadKernel(launch).stage.source_line, 99);
  EXPECT_EQ(db.LoadKernel(launch).attributes.size(), 3u);
}

TEST_F(Record, KeepsStagesInTheOrderInWhichARunStoredThem) {
  const RunId run = db.BeginRun(ARun("aaaa"));
  for (const char* id : {"z", "a", "m", "a"}) db.StoreStage(run, AStage(id), {});
  std::vector<std::string> ids;
  for (const StageRecord& stage : db.Stages(run)) ids.push_back(stage.id);
  EXPECT_EQ(ids, (std::vector<std::string>{"z", "a", "m"}));
}

TEST_F(Record, GivesBackBuildsWithEverySourceAndStatus) {
  const RunId run = db.BeginRun(ARun("aaaa"));
  const BuildRecord build = ABuild("v1_7", 120);
  db.StoreStage(run, AStage("v1_7"), {&build, 1});
  const auto builds = db.Builds(run);
  ASSERT_EQ(builds.size(), 1u);
  EXPECT_EQ(builds[0].stage, "v1_7");
  EXPECT_EQ(builds[0].cubin_digest, "00c0ffee");
  ASSERT_EQ(builds[0].attributes.size(), 3u);
  EXPECT_EQ(builds[0].attributes[0].source, "cubin");
  EXPECT_EQ(builds[0].attributes[0].value, 120);
  EXPECT_EQ(builds[0].attributes[2].status, ReadingStatus::kUnsupported);
  EXPECT_FALSE(builds[0].attributes[2].value.has_value());
}

TEST_F(Record, ReplacesABuildThatIsStoredAgain) {
  const RunId run = db.BeginRun(ARun("aaaa"));
  BuildRecord build = ABuild("v1_7", 120);
  db.StoreStage(run, AStage("v1_7"), {&build, 1});
  build.attributes = {{"registers", "cubin", 64.0, ReadingStatus::kOk}};
  db.StoreStage(run, AStage("v1_7"), {&build, 1});
  ASSERT_EQ(db.Builds(run).size(), 1u);
  EXPECT_EQ(db.Builds(run)[0].attributes.size(), 1u);
}

TEST_F(Record, RefusesABuildOfAnotherStage) {
  const RunId run = db.BeginRun(ARun("aaaa"));
  const BuildRecord build = ABuild("v1_6");
  EXPECT_THAT(ComplaintOf([&] {
                db.StoreStage(run, AStage("v1_7"), {&build, 1});
              }),
              HasSubstr("pass each stage its own builds"));
  EXPECT_EQ(Count("stage"), 0);
}

TEST_F(Record, GivesBackALaunchAsItWasStored) {
  const RunId run = db.BeginRun(ARun("aaaa"));
  db.StoreStage(run, AStage("v1_7"), {});
  LaunchRecord launch = ALaunch("v1_7");
  launch.grid_z = 4'000'000'000u;
  launch.dynamic_shared_bytes = 227 * 1024;
  launch.state = LaunchState::kFailed;
  launch.message = "element (3, 4) is off";
  launch.verify_error_over_bound = 17.5;
  const std::vector<Sample> samples{
      {0, 10.25, 1980.5, false}, {1, 20.5, std::nullopt, true}, {1, 99, 1980.0, false, true}};
  const KernelRecord back = db.LoadKernel(db.StoreLaunch(run, launch, samples));
  EXPECT_EQ(back.launch.stage, "v1_7");
  EXPECT_EQ(back.launch.shape, "4096x4096x4096");
  EXPECT_EQ(back.launch.grid_z, 4'000'000'000u);
  EXPECT_EQ(back.launch.dynamic_shared_bytes, 227 * 1024);
  EXPECT_EQ(back.launch.state, LaunchState::kFailed);
  EXPECT_EQ(back.launch.message, "element (3, 4) is off");
  EXPECT_EQ(back.launch.verify_error_over_bound, 17.5);
  EXPECT_EQ(back.launch.flop, 2.0 * 4096 * 4096 * 4096);
  ASSERT_EQ(back.samples.size(), 3u);
  EXPECT_EQ(back.samples[0].time_us, 10.25);
  EXPECT_EQ(back.samples[0].clock_mhz, 1980.5);
  EXPECT_FALSE(back.samples[1].clock_mhz.has_value());
  EXPECT_TRUE(back.samples[1].low_clock);
  EXPECT_FALSE(back.samples[1].gate_open);
  EXPECT_TRUE(back.samples[2].gate_open);
  EXPECT_EQ(back.run.failed, 1);
}

TEST_F(Record, LeavesAnErrorEmptyWhereNothingWasCompared) {
  const RunId run = db.BeginRun(ARun("aaaa"));
  db.StoreStage(run, AStage("v1_7"), {});
  LaunchRecord launch = ALaunch("v1_7");
  launch.verify_error_over_bound.reset();
  launch.state = LaunchState::kRefused;
  const KernelRecord back = db.LoadKernel(db.StoreLaunch(run, launch, {}));
  EXPECT_FALSE(back.launch.verify_error_over_bound.has_value());
  EXPECT_EQ(back.launch.state, LaunchState::kRefused);
  EXPECT_EQ(back.run.failed, 0);
}

TEST_F(Record, RefusesALaunchOfAStageThatWasNotStored) {
  const RunId run = db.BeginRun(ARun("aaaa"));
  EXPECT_THAT(ComplaintOf([&] { db.StoreLaunch(run, ALaunch("v1_7"), {}); }),
              HasSubstr("cannot store a launch of 'v1_7': store the stage in run 1 first"));
}

TEST_F(Record, ReplacesALaunchWithEverythingThatBelongsToIt) {
  const RunId run = RecordRun(db, ARun("aaaa"), {"v1_7", "v1_6"}, {1024}, false);
  const LaunchId first = db.Launches(run, "")[0];
  db.StoreWarning(run, first, {"low_clock", "one sample"});
  db.StoreWarning(run, std::nullopt, {"dirty", "of the run"});
  const LaunchId again = db.StoreLaunch(run, ALaunch("v1_7", 1024), Samples({5.0}));
  const KernelRecord back = db.LoadKernel(again);
  EXPECT_EQ(back.samples.size(), 1u);
  EXPECT_TRUE(back.readings.empty());
  ASSERT_EQ(back.warnings.size(), 1u);
  EXPECT_EQ(back.warnings[0].code, "dirty");
  EXPECT_EQ(db.Launches(run, "").size(), 2u);
  EXPECT_EQ(Count("metric_value"), 2);  // v1_6's
}

LaunchRecord Numbered(int ordinal) {
  LaunchRecord launch = ALaunch("v1_7", 1024);
  launch.ordinal = ordinal;
  return launch;
}

TEST_F(Record, KeepsSeveralLaunchesOfAStageAtAShapeAndReadsTheFirst) {
  const RunId run = db.BeginRun(ARun("aaaa"));
  db.StoreStage(run, AStage("v1_7"), {});
  db.StoreLaunch(run, Numbered(0), Samples({9}));
  const LaunchId second = db.StoreLaunch(run, Numbered(1), Samples({5}));
  const LaunchId first = db.StoreLaunch(run, Numbered(0), Samples({3}));  // replaces the one with 9 us
  EXPECT_EQ(db.FindRun({}).launches, 2);
  EXPECT_EQ(db.FindKernel("v1_7", {}).id, first);
  EXPECT_THAT(db.Launches(run, ""), testing::ElementsAre(first));
  ASSERT_EQ(db.LoadKernels(run).size(), 1u);
  EXPECT_EQ(db.LoadKernels(run)[0].id, first);
  EXPECT_EQ(db.LoadKernel(second).launch.ordinal, 1);
  EXPECT_EQ(db.LoadKernel(second).samples.at(0).time_us, 5);
}

TEST_F(Record, RefusesALaunchWhosePredecessorIsNotThere) {
  const RunId run = db.BeginRun(ARun("aaaa"));
  db.StoreStage(run, AStage("v1_7"), {});
  EXPECT_THAT(ComplaintOf([&] { db.StoreLaunch(run, Numbered(1), {}); }),
              HasSubstr("cannot store launch 1 of 'v1_7' at 1024x1024x1024: store launch 0 of it first"));
  EXPECT_NE(ComplaintOf([&] { db.StoreLaunch(run, Numbered(-1), {}); }), "");
  EXPECT_EQ(db.FindRun({}).launches, 0);
}

TEST_F(Record, KeepsNotMeasuredApartFromZero) {
  const RunId run = db.BeginRun(ARun("aaaa"));
  db.StoreStage(run, AStage("v1_7"), {});
  const LaunchId launch = db.StoreLaunch(run, ALaunch("v1_7"), {});
  db.StoreReadings(
      launch, std::vector{NotMeasured("d", ReadingStatus::kDenied), AReading("a", 0),
                          NotMeasured("c", ReadingStatus::kFailed), NotMeasured("b", ReadingStatus::kUnsupported)});
  const auto readings = db.LoadKernel(launch).readings;
  ASSERT_EQ(readings.size(), 4u);
  EXPECT_EQ(readings[0].metric.id, "a");
  EXPECT_EQ(readings[0].value, 0.0);
  EXPECT_EQ(readings[0].status, ReadingStatus::kOk);
  EXPECT_EQ(readings[1].status, ReadingStatus::kUnsupported);
  EXPECT_EQ(readings[2].status, ReadingStatus::kFailed);
  EXPECT_EQ(readings[3].status, ReadingStatus::kDenied);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_FALSE(readings[i].value.has_value());
}

TEST_F(Record, AddsToReadingsAndReplacesThoseItHas) {
  const RunId run = db.BeginRun(ARun("aaaa"));
  db.StoreStage(run, AStage("v1_7"), {});
  const LaunchId launch = db.StoreLaunch(run, ALaunch("v1_7"), {});
  db.StoreReadings(launch, std::vector{AReading("a", 1), AReading("b", 2)});
  db.StoreReadings(launch, std::vector{AReading("b", 3), AReading("c", 4)});
  const auto readings = db.LoadKernel(launch).readings;
  ASSERT_EQ(readings.size(), 3u);
  EXPECT_EQ(readings[1].value, 3);
}

TEST_F(Record, ReplacesAReadingWhoseDefinitionHasChanged) {
  const RunId run = db.BeginRun(ARun("aaaa"));
  db.StoreStage(run, AStage("v1_7"), {});
  const LaunchId launch = db.StoreLaunch(run, ALaunch("v1_7"), {});
  Reading before = NotMeasured("a", ReadingStatus::kUnsupported);
  before.metric.cupti_name = "";
  db.StoreReadings(launch, {&before, 1});
  db.StoreReadings(launch, std::vector{AReading("a", 5)});
  const auto readings = db.LoadKernel(launch).readings;
  ASSERT_EQ(readings.size(), 1u);
  EXPECT_EQ(readings[0].value, 5);
  EXPECT_EQ(readings[0].metric.cupti_name, "smsp__a.sum");
}

TEST_F(Record, KeepsMetricsApartThatDifferOnlyInTheirMeaning) {
  const RunId run = db.BeginRun(ARun("aaaa"));
  db.StoreStage(run, AStage("v1_7"), {});
  Reading reading = AReading("a", 1);
  const LaunchId one = db.StoreLaunch(run, ALaunch("v1_7", 1), {}), two = db.StoreLaunch(run, ALaunch("v1_7", 2), {});
  db.StoreReadings(one, {&reading, 1});
  reading.metric.meaning = "said better";
  db.StoreReadings(two, {&reading, 1});
  EXPECT_EQ(db.LoadKernel(one).readings[0].metric.meaning, "what it counts");
  EXPECT_EQ(db.LoadKernel(two).readings[0].metric.meaning, "said better");
}

TEST_F(Record, RefusesAReadingWhoseStatusContradictsItsValue) {
  const RunId run = db.BeginRun(ARun("aaaa"));
  db.StoreStage(run, AStage("v1_7"), {});
  const LaunchId launch = db.StoreLaunch(run, ALaunch("v1_7"), {});
  Reading reading = AReading("a", 1);
  reading.status = ReadingStatus::kDenied;
  EXPECT_THAT(ComplaintOf([&] {
                db.StoreReadings(launch, std::vector{AReading("b", 2), reading});
              }),
              HasSubstr("'denied' with a value"));
  reading = AReading("a", 1);
  reading.value.reset();
  EXPECT_THAT(ComplaintOf([&] { db.StoreReadings(launch, {&reading, 1}); }), HasSubstr("'ok' without a value"));
  EXPECT_TRUE(db.LoadKernel(launch).readings.empty());
  db.StoreReadings(launch, std::vector{AReading("b", 2)});  // its metric row was rolled back with the call
  EXPECT_EQ(db.LoadKernel(launch).readings.size(), 1u);
}

TEST_F(Record, StoresNotANumberAsFailed) {
  const RunId run = db.BeginRun(ARun("aaaa"));
  db.StoreStage(run, AStage("v1_7"), {});
  const LaunchId launch = db.StoreLaunch(run, ALaunch("v1_7"), {});
  db.StoreReadings(launch, std::vector{AReading("ratio", std::nan(""))});
  EXPECT_EQ(db.LoadKernel(launch).readings[0].status, ReadingStatus::kFailed);
  EXPECT_FALSE(db.LoadKernel(launch).readings[0].value.has_value());
}

TEST_F(Record, StoresAnAttributeThatNoKernelHasAsFailed) {
  const RunId run = db.BeginRun(ARun("aaaa"));
  BuildRecord build = ABuild("v1_7");
  build.attributes = {{"registers", "cubin", 1e20, ReadingStatus::kOk}, {"stack", "cubin", -1, ReadingStatus::kOk}};
  db.StoreStage(run, AStage("v1_7"), std::span(&build, 1));
  const std::vector<BuildRecord> builds = db.Builds(run);
  for (const StaticAttribute& attribute : builds.at(0).attributes) {
    EXPECT_EQ(attribute.status, ReadingStatus::kFailed);
    EXPECT_FALSE(attribute.value);
  }
}

TEST_F(Record, KeepsTheWindowAndTheProcessesOfAProgram) {
  const RunId run = db.BeginRun(ARun("aaaa"));
  ProgramRecord program;
  program.capture = "nvtx:decode";
  program.gpu_processes = {{0, 4711, 3, 20, 100.5}, {1, 4712, std::nullopt, 0, 0.25}};
  db.StoreProgram(run, program);
  db.StoreProgram(run, program);  // replaces
  const ProgramRecord stored = *db.FindRun({}).run.program;
  EXPECT_EQ(stored.capture, "nvtx:decode");
  ASSERT_EQ(stored.gpu_processes.size(), 2u);
  EXPECT_EQ(stored.gpu_processes[0].pid, 4711);
  EXPECT_EQ(stored.gpu_processes[0].rank, 3);
  EXPECT_EQ(stored.gpu_processes[0].calls, 20);
  EXPECT_EQ(stored.gpu_processes[0].time_us, 100.5);
  EXPECT_EQ(stored.gpu_processes[1].process, 1);
  EXPECT_FALSE(stored.gpu_processes[1].rank);
}

// A file that we wrote must be one that we read.
TEST_F(Record, RefusesEveryNumberThatReadersRefuse) {
  const auto refuses = [&](const char* column, auto&& store) {
    EXPECT_THAT(ComplaintOf(store), HasSubstr(std::string(column) + " is ")) << column;
  };
  refuses("device.sm_clock_mhz", [&] {
    RunRecord run = ARun("bbbb");
    run.device->sm_clock_mhz = 1e9;
    db.BeginRun(run);
  });
  EXPECT_TRUE(db.Runs().empty());
  const RunId run = db.BeginRun(ARun("aaaa"));
  const auto store_program = [&](auto change) {
    ProgramRecord program;
    change(program);
    db.StoreProgram(run, program);
  };
  refuses("program.lost_launches", [&] { store_program([](auto& p) { p.lost_launches = 9223372036854775807; }); });
  refuses("program.exit_status", [&] { store_program([](auto& p) { p.exit_status = -7; }); });
  refuses("program_copy.calls", [&] {
    store_program([](auto& p) { p.copies = {{CopyKind::kSet, 2'000'000'000'000'000}}; });
  });
  refuses("program_process.rank", [&] { store_program([](auto& p) { p.gpu_processes = {{0, 1, -3, 0, 0}}; }); });
  refuses("stage.source_line", [&] {
    StageRecord stage = AStage("v1_7");
    stage.source_line = -1;
    db.StoreStage(run, stage, {});
  });
  db.StoreStage(run, AStage("v1_7"), {});
  refuses("launch.dynamic_shared_bytes", [&] {
    LaunchRecord launch = ALaunch("v1_7");
    launch.dynamic_shared_bytes = -1;
    db.StoreLaunch(run, launch, {});
  });
  refuses("sample.process", [&] {
    std::vector<Sample> samples = Samples({1});
    samples[0].process = -1;
    db.StoreLaunch(run, ALaunch("v1_7"), samples);
  });
  const LaunchId launch = db.StoreLaunch(run, ALaunch("v1_7"), {});
  refuses("program_launch.calls", [&] {
    ProgramLaunch program;
    program.calls = 2'000'000'000'000'000;
    db.StoreProgramLaunch(launch, program);
  });
  refuses("python_frame.line", [&] {
    ProgramLaunch program;
    program.stack = {{"train.py", 0, "step"}};
    db.StoreProgramLaunch(launch, program);
  });
  EXPECT_FALSE(db.FindRun({}).run.program) << "nothing of what was refused is there";
}

TEST_F(Record, RefusesReadingsOfALaunchThatIsNotThere) {
  EXPECT_THAT(ComplaintOf([&] { db.StoreReadings(77, std::vector{AReading("a", 1)}); }),
              HasSubstr("there is no launch 77"));
}

TEST_F(Record, RefusesWhatConcernsARunThatIsNotThere) {
  EXPECT_THAT(ComplaintOf([&] { db.FinishRun(77); }), HasSubstr("there is no such run"));
  EXPECT_THAT(ComplaintOf([&] { db.StoreStage(77, AStage("v1_7"), {}); }), HasSubstr("FOREIGN KEY"));
  EXPECT_THAT(ComplaintOf([&] { db.StoreWarning(77, std::nullopt, {"a", "b"}); }), HasSubstr("FOREIGN KEY"));
}

TEST_F(Record, GivesBackWhatTheGpuCanDo) {
  const RunId run = db.BeginRun(ARun("aaaa"));
  EXPECT_TRUE(db.FindRun({}).run.machine.empty()) << "not measured";
  db.StoreMachine(
      run, std::vector<MachineFigure>{{"l2_latency", 12.5, 301.25, "cycle"}, {"dram_bytes", 0, 18.4, "byte/SM/cycle"}});
  db.StoreMachine(run, std::vector<MachineFigure>{{"l2_latency", 12.5, 300, "cycle"}, {"l2_latency", 0, 262, "cycle"}});
  const std::vector<MachineFigure> back = db.FindRun({}).run.machine;
  ASSERT_EQ(back.size(), 2u) << "replaced";
  EXPECT_EQ(back[0].setting, 0);
  EXPECT_EQ(back[1].value, 300);
  EXPECT_EQ(back[1].unit, "cycle");
  EXPECT_EQ(back[1].measured_in, ARun("aaaa").uuid);
}

TEST_F(Record, FindsWhatAnEarlierRunMeasuredOfTheSameGpu) {
  const RunId measured = db.BeginRun(ARun("aaaa"));
  db.StoreMachine(measured, std::vector<MachineFigure>{{"l2_latency", 0, 262, "cycle"}});
  RunRecord other_gpu = ARun("bbbb");
  other_gpu.device->sm_count += 1;
  EXPECT_TRUE(db.FindMachine(db.BeginRun(other_gpu)).empty());
  RunRecord other_driver = ARun("cccc");
  other_driver.toolchain.driver += "9";
  EXPECT_TRUE(db.FindMachine(db.BeginRun(other_driver)).empty());
  const RunId again = db.BeginRun(ARun("dddd"));
  const std::vector<MachineFigure> found = db.FindMachine(again);
  ASSERT_EQ(found.size(), 1u);
  db.StoreMachine(again, found);
  EXPECT_EQ(db.FindMachine(db.BeginRun(ARun("eeee"))).at(0).measured_in, ARun("aaaa").uuid)
      << "not the run that copied it";
  EXPECT_FALSE(db.FindMachine(measured).empty()) << "a later one has them too";
}

TEST_F(Record, RefusesAFigureThatIsNoNumber) {
  const RunId run = db.BeginRun(ARun("aaaa"));
  EXPECT_THROW(
      db.StoreMachine(run, std::vector<MachineFigure>{{"dram_bytes", 0, std::numeric_limits<double>::infinity(), ""}}),
      Error);
  EXPECT_TRUE(db.FindRun({}).run.machine.empty());
}

TEST_F(Record, KnowsRunsWhoseCountersWereSampled) {
  RunRecord run = ARun("aaaa");
  run.profile = "sampled";
  db.BeginRun(run);
  EXPECT_EQ(db.FindRun({}).run.profile, "sampled");
  EXPECT_EQ(db.Query("SELECT profile, samples_counters FROM run").rows.front(),
            (std::vector<Value>{"none", std::int64_t{1}}));
}

TEST_F(Record, KnowsTheGpusOfARun) {
  RunRecord run = ARun("aaaa");
  run.gpu_uuids = "GPU-01,GPU-02";
  db.BeginRun(run);
  EXPECT_EQ(db.FindRun({}).run.gpu_uuids, "GPU-01,GPU-02");
}

TEST_F(Record, RefusesTheSameRunTwice) {
  db.BeginRun(ARun("aaaa"));
  EXPECT_THAT(ComplaintOf([&] { db.BeginRun(ARun("aaaa")); }), HasSubstr("UNIQUE"));
  RunRecord nameless = ARun("bbbb");
  nameless.uuid.clear();
  EXPECT_THAT(ComplaintOf([&] { db.BeginRun(nameless); }), HasSubstr("without a UUID"));
}

TEST_F(Record, CountsWhatARunHolds) {
  RecordRun(db, ARun("aaaa"), {"v1_7", "v1_6"}, {1024, 2048, 4096});
  const RunSummary run = db.Runs().at(0);
  EXPECT_EQ(run.launches, 6);
  EXPECT_EQ(run.samples, 12);
  EXPECT_EQ(run.metric_values, 12);
  EXPECT_EQ(run.failed, 0);
}

}  // namespace
}  // namespace culprit
