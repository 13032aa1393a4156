// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <tuple>

#include "bench/program/sampled_program.h"
#include "bench/program/stored_program.h"
#include "db/new_run_id.h"
#include "db/sampled_counters.h"
#include "tests/support/scratch.h"

namespace culprit {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const LaunchGeometry kWide{1024, 1, 1, 256, 1, 1, 0}, kNarrow{64, 1, 1, 256, 1, 1, 0};

TracedDevice Gpu(const std::string& uuid, const std::string& name = "NVIDIA H200") {
  return {uuid,
          {.name = name,
           .chip = "GH100",
           .cc_major = 9,
           .cc_minor = 0,
           .sm_count = 132,
           .fp32_lanes_per_sm = 128,
           .sm_clock_mhz = 1980,
           .dram_bytes_per_s = 4.8e12,
           .memory_bytes = 1,
           .l2_bytes = 1,
           .shared_bytes_per_sm = 1,
           .registers_per_sm = 65536,
           .max_threads_per_sm = 2048,
           .max_blocks_per_sm = 32}};
}

ProcessTrace Process(std::int64_t pid) {
  ProcessTrace trace;
  trace.pid = pid;
  trace.devices[0] = Gpu("GPU-1");
  trace.kernels = {"a", "b"};
  trace.ranges = {"step 1", "step 2", "init"};
  trace.toolchain.driver = "580";
  trace.complete = true;
  return trace;
}

void Launch(ProcessTrace& trace, int kernel, std::int64_t start_us, std::int64_t us, int range = -1,
            const LaunchGeometry& geometry = kWide, int device = 0) {
  trace.launches.push_back({kernel, geometry, device, 1, 7, range, false, start_us * 1000, (start_us + us) * 1000});
  ++trace.launches_seen;
}

RunRecord NewRun(const std::string& profile) {
  RunRecord run;
  run.uuid = NewUuid();
  run.started_utc = NowUtc();
  run.profile = profile;
  return run;
}

TimedProgram Read(const ProcessTrace& trace) { return ReadTimed(std::span(&trace, 1)); }

double Sum(const TimedProgram& timed) {
  double sum = *timed.program.idle_us;
  for (const LaunchClass& of : timed.classes) sum += of.share_us;
  for (const ProgramCopy& copy : timed.program.copies) sum += copy.share_us;
  return sum;
}

SummedLaunches Summed9(int kernel, int range) {
  TracedLaunch like;
  like.kernel = kernel, like.geometry = kWide, like.range = range;
  return {like,
          {.calls = 9,
           .time_ns = 90'000,
           .slowest_ns = 20'000,
           .first_ns = 200'000,
           .last_ns = 400'000,
           .share_us = 80,
           .samples_ns = {10'000, 12'000}}};
}

TEST(ProgramRecording, WhatWasSummedAddsToCallsTimesSharesAndIdleTime) {
  ProcessTrace trace = Process(1);
  Launch(trace, 0, 0, 100, 0);
  trace.summed_launches = {Summed9(0, 1), Summed9(1, -1)};
  trace.summed_copies = {{{CopyKind::kSet},
                          {.calls = 2,
                           .bytes = 64,
                           .time_ns = 3000,
                           .slowest_ns = 2000,
                           .first_ns = 410'000,
                           .last_ns = 500'000,
                           .share_us = 3}}};
  trace.launches_seen += 18;
  const TimedProgram timed = Read(trace);
  EXPECT_EQ(timed.program.lost_launches, 0);
  EXPECT_EQ(*timed.program.span_us, 500);
  EXPECT_DOUBLE_EQ(*timed.program.idle_us, 500 - 100 - 80 - 80 - 3);
  EXPECT_NEAR(Sum(timed), 500, 1e-9);
  ASSERT_THAT(timed.classes, SizeIs(2));
  const LaunchClass& of = timed.classes[0];
  EXPECT_EQ(of.nvtx, "step #");
  EXPECT_EQ(of.calls, 10);
  EXPECT_DOUBLE_EQ(of.time_us, 190);
  EXPECT_DOUBLE_EQ(of.share_us, 180);
  EXPECT_EQ(of.slowest_us, 100);
  ASSERT_THAT(of.samples, SizeIs(3));
  EXPECT_EQ(of.samples[2].time_us, 12);
  EXPECT_EQ(timed.program.copies.at(0).calls, 2);
  EXPECT_EQ(timed.warnings.at(0).code, "launches_summed");
}

TEST(ProgramRecording, ProcessesThatWereSummedShareOneGpu) {
  std::vector<ProcessTrace> traces{Process(1), Process(2)};
  for (ProcessTrace& trace : traces) trace.summed_launches = {Summed9(0, -1)}, trace.launches_seen = 9;
  traces[0].summed_launches[0].sum.share_us = traces[1].summed_launches[0].sum.share_us = 90;
  traces[0].summed_launches[0].sum.last_ns = traces[1].summed_launches[0].sum.last_ns = 300'000;
  const TimedProgram timed = ReadTimed(traces);
  EXPECT_EQ(*timed.program.span_us, 100);
  EXPECT_EQ(*timed.program.idle_us, 0);
  EXPECT_NEAR(Sum(timed), 100, 1e-9);
  EXPECT_DOUBLE_EQ(timed.classes.at(0).time_us, 180);
}

TEST(ProgramRecording, SamplesOfSumsStandForAsManyCalls) {
  ProcessTrace trace = Process(1);
  for (int i = 0; i < 4000; ++i) Launch(trace, 0, 20 * i, 10);
  for (int block = 0; block < 100; ++block) {
    trace.summed_launches.push_back(Summed9(0, -1));
    Summed& sum = trace.summed_launches.back().sum;
    sum.calls = 360, sum.first_ns = 100'000'000 + block, sum.last_ns = 200'000'000 + block;
    sum.samples_ns.assign(12, 20'000);
  }
  const TimedProgram timed = Read(trace);
  const LaunchClass& of = timed.classes.at(0);
  EXPECT_EQ(of.calls, 40'000);
  std::map<double, int> samples;
  for (const Sample& sample : of.samples) ++samples[sample.time_us];
  EXPECT_EQ(samples[10], 200) << "a tenth of the calls, a tenth of 2,000";
  EXPECT_NEAR(samples[20], 1200, 2) << "all that there are of the others";
}

TEST(ProgramRecording, ClassesAreKernelGeometryAndRangeWithoutItsNumbers) {
  ProcessTrace trace = Process(1);
  Launch(trace, 0, 0, 10, 0);
  Launch(trace, 0, 20, 30, 1);
  Launch(trace, 0, 60, 5, 2);
  Launch(trace, 0, 70, 1, 0, kNarrow);
  Launch(trace, 1, 80, 20);
  const TimedProgram timed = Read(trace);
  ASSERT_THAT(timed.classes, SizeIs(4));
  EXPECT_EQ(timed.classes[0].nvtx, "step #");
  EXPECT_EQ(timed.classes[0].calls, 2);
  EXPECT_EQ(timed.classes[0].time_us, 40);
  EXPECT_EQ(timed.classes[0].slowest_us, 30);
  EXPECT_EQ(timed.classes[0].first, 0);
  ASSERT_THAT(timed.classes[0].samples, SizeIs(2));
  EXPECT_EQ(timed.classes[0].samples[1].time_us, 30);
  EXPECT_EQ(timed.classes[1].kernel, 1u);
  EXPECT_EQ(timed.classes[1].first, 4);
  EXPECT_EQ(timed.program.span_us, 100);
  EXPECT_EQ(timed.program.idle_us, 34);
  EXPECT_NEAR(Sum(timed), 100, 1e-9);
  EXPECT_THAT(timed.warnings, IsEmpty());
}

TEST(ProgramRecording, StacksAreOfTheKernelGeometryAndRange) {
  ProcessTrace trace = Process(1), other = Process(2);
  Launch(trace, 0, 0, 50, 0);
  Launch(trace, 0, 60, 40, 2);
  Launch(trace, 0, 110, 30, 0, kNarrow);
  Launch(trace, 1, 150, 20, 2);
  trace.launches.back().from_graph = true;
  const auto at = [](int line) { return std::vector<PythonFrame>{{"train.py", line, "step"}}; };
  trace.stacks = {{"a", kWide, "step #", at(1)},
                  {"a", kWide, "step #", at(2)},
                  {"a", kNarrow, "", at(3)},
                  {"b", kWide, "capture", at(4)},
                  {"never ran", kWide, "", at(5)}};
  other.stacks = {{"a", kWide, "step #", at(6)}, {"a", kWide, "init", at(7)}};
  const TimedProgram timed = ReadTimed(std::vector{trace, other});
  ASSERT_THAT(timed.classes, SizeIs(4));
  EXPECT_EQ(timed.classes[0].stack, at(1)) << "the first";
  EXPECT_EQ(timed.classes[1].stack, at(7)) << "of another process";
  EXPECT_THAT(timed.classes[2].stack, IsEmpty()) << "of another range";
  EXPECT_EQ(timed.classes[3].stack, at(4)) << "a graph runs in another range than it was captured in";
  EXPECT_THAT(timed.kernels, SizeIs(2));
}

TEST(ProgramRecording, CopiesHaveTheirShareAndGpusTheirSpans) {
  ProcessTrace one = Process(1), two = Process(2);
  one.devices[1] = Gpu("GPU-2");
  two.devices[0] = Gpu("GPU-2");  // another number, the same GPU
  Launch(one, 0, 0, 10);
  one.copies = {{CopyKind::kToDevice, 0, 4096, 5000, 25000}, {CopyKind::kSet, 0, 10, 40000, 50000}};
  Launch(one, 0, 0, 10, -1, kWide, 1);
  Launch(two, 1, 0, 30);
  const std::vector<ProcessTrace> traces = {one, two};
  const TimedProgram timed = ReadTimed(traces);
  EXPECT_EQ(timed.program.gpus, 2);
  EXPECT_EQ(timed.gpu_uuids, "GPU-1,GPU-2");
  EXPECT_EQ(timed.program.processes, 2);
  EXPECT_EQ(timed.program.span_us, 80);
  EXPECT_EQ(timed.program.idle_us, 15);
  EXPECT_NEAR(Sum(timed), 80, 1e-9);
  ASSERT_THAT(timed.program.copies, SizeIs(2));
  EXPECT_EQ(timed.program.copies[0].bytes, 4096);
  EXPECT_EQ(timed.program.copies[0].time_us, 20);
  EXPECT_DOUBLE_EQ(timed.program.copies[0].share_us, 17.5);
  EXPECT_THAT(timed.classes[0].samples, SizeIs(1));
  EXPECT_EQ(timed.classes[0].samples[0].process, 1);
}

TEST(ProgramRecording, OfVeryManyCallsSomeAreSamplesAndTheSumIsExact) {
  ProcessTrace trace = Process(1);
  for (int i = 0; i < 5000; ++i) Launch(trace, 0, 10 * i, 1 + i % 5);
  const TimedProgram timed = Read(trace);
  EXPECT_EQ(timed.classes[0].calls, 5000);
  EXPECT_EQ(timed.classes[0].time_us, 15000);
  EXPECT_THAT(timed.classes[0].samples, SizeIs(kMostSamples));
}

TEST(ProgramRecording, SaysWhatIsMissing) {
  ProcessTrace trace = Process(1);
  trace.devices[1] = Gpu("GPU-2", "NVIDIA A100");
  Launch(trace, 0, 0, 100);
  Launch(trace, 0, 0, 1, -1, kWide, 1);
  trace.launches_seen = 9;
  trace.complete = false;
  trace.builds = {{"", "sm_90", "a", "1111", {}}, {"", "sm_90", "a", "2222", {}}};
  trace.warnings = {{"second_profiler", "the program uses CUPTI itself"}};
  const TimedProgram timed = Read(trace);
  EXPECT_EQ(timed.program.lost_launches, 7);
  EXPECT_EQ(timed.device->name, "NVIDIA H200");
  std::vector<std::string> codes;
  for (const Warning& warning : timed.warnings) codes.push_back(warning.code);
  EXPECT_THAT(codes, ::testing::UnorderedElementsAre("launches_lost", "trace_incomplete", "gpus_differ", "code_differs",
                                                     "second_profiler"));
  EXPECT_EQ(timed.kernels[0].build->cubin_digest, "1111");
}

TEST(ProgramRecording, ClocksThatJumpAreNoTimes) {
  ProcessTrace trace = Process(1);
  Launch(trace, 0, 0, 10);
  trace.launches.push_back({0, kWide, 0, 1, 7, -1, false, 5, 9'000'000'000'000'000'000});
  ++trace.launches_seen;
  const TimedProgram timed = Read(trace);
  EXPECT_EQ(timed.classes[0].calls, 1);
  EXPECT_EQ(timed.program.lost_launches, 1);
}

MetricDefinition Metric() { return {"sm_inst", "range", "smsp__inst_executed.sum", "inst", "instructions"}; }
CountedLaunch Counted(int kernel, int range, std::int64_t nth, double value, const LaunchGeometry& geometry = kWide) {
  return {kernel, geometry, range, nth, {{Metric(), value, ReadingStatus::kOk}}, {}, ""};
}

TEST(ProgramRecording, CountersGoToTheLaunchOfTheirKernelGeometryAndRange) {
  ProcessTrace trace = Process(1);
  Launch(trace, 0, 0, 30, 0);   // a in "step #"
  Launch(trace, 0, 40, 20, 2);  // a in "init"
  Launch(trace, 0, 70, 10);     // a outside
  Launch(trace, 1, 90, 5);      // b
  Launch(trace, 1, 100, 1, -1, kNarrow);
  const TimedProgram timed = Read(trace);
  ProcessTrace counted = Process(2);
  counted.kernels = {"b", "a"};  // another order
  counted.counted = {
      Counted(1, 1, 0, 10), Counted(1, 0, 1, 12), Counted(1, 2, 2, 50), {0, kWide, -1, 0, {}, {}, "it waits"}};
  const std::vector<ClassCounts> counts = MatchCounts(timed, std::span(&counted, 1), "not launched");
  ASSERT_THAT(counts, SizeIs(5));
  EXPECT_THAT(counts[0].repetitions, SizeIs(2));
  ASSERT_THAT(counts[1].repetitions, SizeIs(1));
  EXPECT_EQ(counts[1].repetitions[0][0].value, 50);
  EXPECT_THAT(counts[2].repetitions, SizeIs(3)) << "no range agrees: any";
  EXPECT_EQ(counts[3].not_counted, "it waits");
  EXPECT_EQ(counts[4].not_counted, "not launched");
}

TEST(ProgramRecording, IsStoredAndRead) {
  const Scratch scratch;
  ProcessTrace trace = Process(1);
  trace.kernels = {"_ZN2ns4copyILi4EEEvPf", "b"};
  trace.builds = {
      {"",
       "sm_90a",
       "_ZN2ns4copyILi4EEEvPf",
       "1111",
       {{"registers", "runtime", 40.0, ReadingStatus::kOk}, {"registers", "runtime", 41.0, ReadingStatus::kOk}}}};
  trace.places["_ZN2ns4copyILi4EEEvPf"] = {"src/copy.cu", 12};
  const std::vector<PythonFrame> stack = {{"/home/me/model.py", 77, "forward"}, {"train.py", 42, "<module>"}};
  trace.stacks = {{"_ZN2ns4copyILi4EEEvPf", kWide, "step #", stack}};
  Launch(trace, 0, 0, 30, 0);
  Launch(trace, 0, 40, 20, 2);
  Launch(trace, 1, 70, 10);
  trace.copies = {{CopyKind::kToHost, 0, 100, 90'000, 95'000}};
  const TimedProgram timed = Read(trace);
  ProcessTrace counted = Process(2);
  counted.kernels = trace.kernels;
  counted.counted = {Counted(0, 0, 0, 10), Counted(0, 1, 1, 14)};
  counted.counted[0].readings.push_back(counted.counted[0].readings[0]);
  {
    Database database = Database::OpenForRecording(scratch / "m.db");
    const RunRecord run = NewRun("core");
    const std::vector<std::string> why = {"", "", "left out"};
    StoredProgram stored(database, run, timed, why);
    stored.AddCounts(std::span(&counted, 1), "not launched");
    stored.Finish();
  }
  const Database database = Database::OpenForReading(scratch / "m.db");
  const RunSummary run = database.Runs().at(0);
  EXPECT_EQ(run.run.program->span_us, 95);
  EXPECT_EQ(run.run.toolchain.driver, "580");
  const std::vector<KernelRecord> kernels = database.LoadKernels(run.id, Ordinals::kAll);
  ASSERT_THAT(kernels, SizeIs(3));
  EXPECT_TRUE(kernels[0].stage.id.starts_with("copy~"));
  EXPECT_EQ(kernels[0].stage.idea, "copy<4>");
  EXPECT_EQ(kernels[0].stage.family, "program");
  EXPECT_EQ(kernels[0].stage.source_file, "src/copy.cu");
  EXPECT_EQ(kernels[0].launch.arch, "sm_90a");
  EXPECT_EQ(kernels[0].launch.ordinal, 0);
  EXPECT_EQ(kernels[0].program->name, "void ns::copy<4>(float*)");
  EXPECT_EQ(kernels[0].program->counted, 2);
  EXPECT_EQ(kernels[0].program->stack, stack) << "also behind what counting has replaced";
  EXPECT_THAT(kernels[1].program->stack, IsEmpty());
  EXPECT_EQ(kernels[1].launch.ordinal, 1);
  EXPECT_EQ(kernels[1].program->nvtx, "init");
  EXPECT_EQ(kernels[2].launch.arch, "sm_90");
  EXPECT_EQ(kernels[2].program->not_counted, "left out");
  std::map<std::string, std::optional<double>> readings;
  for (const Reading& reading : kernels[0].readings) readings[reading.metric.id] = reading.value;
  EXPECT_EQ(readings["sm_inst"], 12);
  EXPECT_EQ(readings["launch_registers"], 40);
  EXPECT_EQ(readings["launch_kernels"], 1);
  EXPECT_THAT(database.LoadKernel(kernels[0].id).repeats.at("sm_inst"), ElementsAre(10, 14));
}

// Two kernels that take turns for 0.3 s, shorter than a record, and what a GPU would count meanwhile.
ProcessTrace SampledProcess() {
  ProcessTrace trace = Process(1);
  constexpr int kPairs = 4000;
  constexpr std::int64_t kFirstUs = 43, kSecondUs = 29, kRecordNs = 97'000;
  for (int i = 0; i < kPairs; ++i) {
    Launch(trace, 0, i * (kFirstUs + kSecondUs), kFirstUs);
    Launch(trace, 1, i * (kFirstUs + kSecondUs) + kFirstUs, kSecondUs);
  }
  const auto metric = [](std::string_view id, std::string_view name) {
    return MetricDefinition{std::string(id), "sampled", std::string(name), "count", ""};
  };
  TracedCounters counters;
  counters.metrics = {metric(kClockCounter, "sm__cycles_elapsed.max"), metric("inst_executed", "inst"),
                      metric("warps_active", "warps")};
  const auto at = [&](std::int64_t ns) {  // instructions until then: 100 and 10 in each us
    const std::int64_t period = (kFirstUs + kSecondUs) * 1000, pairs = std::min<std::int64_t>(ns / period, kPairs);
    const std::int64_t rest = pairs == kPairs ? 0 : ns % period, first = std::min(rest, kFirstUs * 1000);
    return 0.1 * static_cast<double>(pairs * kFirstUs * 1000 + first) +
           0.01 * static_cast<double>(pairs * kSecondUs * 1000 + rest - first);
  };
  for (std::int64_t ns = 0; ns < kPairs * (kFirstUs + kSecondUs) * 1000; ns += kRecordNs) {
    counters.start_ns.push_back(ns);
    counters.end_ns.push_back(ns + kRecordNs);
    const double executed = at(ns + kRecordNs) - at(ns);
    for (const double value : {1.5 * kRecordNs, executed, 8 * executed}) counters.values.push_back(value);
  }
  trace.counters.push_back(std::move(counters));
  return trace;
}

// What another process counts after the program, in 500 records.
void AddIdleRecords(TracedCounters& counters) {
  const std::int64_t length_ns = counters.end_ns[0] - counters.start_ns[0];
  for (int i = 0; i < 500; ++i) {
    counters.start_ns.push_back(counters.end_ns.back());
    counters.end_ns.push_back(counters.start_ns.back() + length_ns);
    for (const double value : {1.5e5, 5000.0, 40000.0}) counters.values.push_back(value);
  }
}

TEST(ProgramRecording, SharesSampledCountersOutAmongKernels) {
  const TimedProgram timed = Read(SampledProcess());
  ASSERT_THAT(timed.classes, SizeIs(2));
  const double stamps = 8 * 1024 * 8;  // instructions that CUPTI adds to the warps of a launch
  for (const auto& [index, executed, us] : {std::tuple{0, 43 * 100.0, 43}, std::tuple{1, 29 * 10.0, 29}}) {
    const std::vector<Reading>& readings = timed.classes[static_cast<std::size_t>(index)].sampled;
    const Reading* const warps = FindReading(readings, "warps_active");
    ASSERT_NE(warps, nullptr);
    EXPECT_NEAR(*warps->value, 8 * executed, 0.02 * 8 * executed) << index;
    EXPECT_TRUE(warps->error.has_value());
    EXPECT_EQ(FindReading(readings, "inst_executed")->value, std::max(0.0, executed - stamps)) << index;
    EXPECT_NEAR(*FindReading(readings, "sm_cycles_elapsed_max")->value, 1500.0 * us, 15.0 * us) << index;
    EXPECT_NEAR(*timed.classes[static_cast<std::size_t>(index)].samples.front().clock_mhz, 1500, 15) << index;
  }
}

TEST(ProgramRecording, SaysThatOtherProcessesExecutedWhileNoKernelOfTheProgramRan) {
  ProcessTrace trace = SampledProcess();
  const auto says = [&] {
    const std::vector<Warning> warnings = Read(trace).warnings;
    return std::ranges::count(warnings, "counted_elsewhere", &Warning::code);
  };
  EXPECT_EQ(says(), 0);
  AddIdleRecords(trace.counters.front());
  EXPECT_EQ(says(), 1);
}

TEST(ProgramRecording, AddsUpWhatKernelsCopiesAndNobodyCounted) {
  ProcessTrace trace = SampledProcess();
  std::erase_if(trace.launches, [&](const TracedLaunch& launch) {
    if (launch.kernel == 0) return false;
    trace.copies.push_back({CopyKind::kSet, 0, 4096, launch.start_ns, launch.end_ns});
    return true;
  });
  TracedCounters& counters = trace.counters.front();
  const auto idle_from = static_cast<std::ptrdiff_t>(counters.start_ns.size());
  AddIdleRecords(counters);
  // The record in which the program ended counted nothing after that, which fits no rate of the others.
  counters.start_ns.erase(counters.start_ns.begin() + idle_from - 1);
  counters.end_ns.erase(counters.end_ns.begin() + idle_from - 1);
  counters.values.erase(counters.values.begin() + 3 * (idle_from - 1), counters.values.begin() + 3 * idle_from);
  const TimedProgram timed = Read(trace);
  const std::vector<TimelineTotal>& totals = timed.timeline.totals;
  ASSERT_THAT(totals, SizeIs(2)) << "the clock is no count";
  EXPECT_EQ(totals[0].metric.id, "inst_executed");
  EXPECT_EQ(totals[1].metric.id, "warps_active");
  EXPECT_NEAR(totals[0].kernels, 4000 * 43 * 100.0, 0.01 * 4000 * 43 * 100);
  EXPECT_NEAR(totals[0].copies, 4000 * 29 * 10.0, 0.05 * 4000 * 29 * 10);
  EXPECT_NEAR(totals[0].counted, 4000 * (43 * 100 + 29 * 10) + 500 * 5000.0, 1e4) << "all that was sampled";
  EXPECT_NEAR(totals[0].counted - totals[0].kernels - totals[0].copies, 500 * 5000.0, 0.05 * 500 * 5000);
  EXPECT_EQ(totals[1].counted, 8 * totals[0].counted);
}

// A part below 0, by a rounding error, could not be stored.
TEST(ProgramRecording, KernelsThatCountNothingHaveExactlyNothing) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> number(0, 1e6);
  constexpr std::int64_t kRecordNs = 100'000, kRecords = 7;
  for (int program = 0; program < 50; ++program) {
    ProcessTrace trace = Process(1);
    TracedCounters counters;
    for (const char* id : {"sm_cycles_elapsed_max", "dram_write_bytes"})
      counters.metrics.push_back({id, "sampled", id, "count", ""});
    std::int64_t ns = 0;
    for (int i = 0; i < 15; ++i) {
      const bool is_kernel = i % 5 == 0;
      if (is_kernel)
        Launch(trace, 0, ns / 1000, kRecords * kRecordNs / 1000);
      else
        trace.copies.push_back({static_cast<CopyKind>(i % 5 - 1), 0, 4096, ns, ns + kRecords * kRecordNs});
      for (int r = 0; r < kRecords; ++r, ns += kRecordNs) {
        counters.start_ns.push_back(ns);
        counters.end_ns.push_back(ns + kRecordNs);
        for (const double value : {1.5 * kRecordNs, is_kernel ? 0.0 : number(random)}) counters.values.push_back(value);
      }
    }
    trace.counters.push_back(std::move(counters));
    const TimedProgram timed = Read(trace);
    ASSERT_THAT(timed.timeline.totals, SizeIs(1));
    const TimelineTotal& total = timed.timeline.totals[0];
    EXPECT_GE(total.kernels, 0) << program;
    EXPECT_LT(total.kernels, 1e-3 * total.counted) << program;
    EXPECT_NEAR(total.copies, total.counted, 0.03 * total.counted) << program;
  }
}

TEST(ProgramRecording, TellsWhichCountersMissedKernels) {
  ProcessTrace trace = SampledProcess();
  trace.devices[0].device.chip = "GH100";
  const std::span<const CounterTurn> lists = CounterTurnsOn("GH100");
  TracedCounters& counters = trace.counters.front();
  counters.metrics.clear(), counters.values.clear();
  for (const TurnCounter& counter : lists[1].counters) {
    counters.metrics.push_back(SampledMetric(counter.id, counter.name));
    counters.values.insert(counters.values.end(), counters.start_ns.size(), 1.0);
  }
  trace.launches.erase(trace.launches.begin());  // the kernel with less time is launched first
  const TimedProgram timed = Read(trace);
  ASSERT_THAT(timed.missed, SizeIs(lists.size() - 1));
  for (const MissedKernels& missed : timed.missed) {
    EXPECT_NE(missed.list, lists[1].what);
    EXPECT_EQ(missed.share, 1);
    EXPECT_EQ(missed.costliest, 0u) << "classes are in the order of time";
  }
  for (const LaunchClass& of : timed.classes) EXPECT_TRUE(of.in_records);

  counters.start_ns = {50'000}, counters.end_ns = {60'000};
  counters.values.resize(counters.metrics.size());
  const TimedProgram brief = Read(trace);
  EXPECT_FALSE(brief.classes[0].in_records);
  EXPECT_TRUE(brief.classes[1].in_records) << "it runs from 43 to 72 us";
}

void StoreSampled(const TimedProgram& timed, const std::filesystem::path& file) {
  Database database = Database::OpenForRecording(file);
  const RunRecord run = NewRun("none");
  StoredProgram stored(database, run, timed, {"", ""});
  stored.Finish();
}

TEST(ProgramRecording, StoresSampledCountersWithTheirErrors) {
  const Scratch scratch;
  const TimedProgram timed = Read(SampledProcess());
  StoreSampled(timed, scratch / "m.db");
  const Database database = Database::OpenForReading(scratch / "m.db");
  const std::vector<KernelRecord> kernels = database.LoadKernels(database.Runs().at(0).id, Ordinals::kAll);
  ASSERT_THAT(kernels, SizeIs(2));
  const Reading* const stored = FindReading(kernels[0].readings, "warps_active");
  const Reading* const timed_reading = FindReading(timed.classes[0].sampled, "warps_active");
  ASSERT_NE(stored, nullptr);
  EXPECT_EQ(stored->value, timed_reading->value);
  EXPECT_EQ(stored->error, timed_reading->error);
  EXPECT_EQ(stored->metric.source, "sampled");
}

MachineCode Code(const std::string& function, const std::string& digest) {
  MachineCode code{function, digest, {}};
  code.instructions.emplace_back().low = 0x1111;
  return code;
}

TracedSampling Sampling(const std::string& about, const std::string& digest, std::int64_t samples) {
  TracedSampling sampled{about, {}};
  sampled.sampling.period_cycles = 2048;
  sampled.sampling.launches = 3;
  sampled.sampling.samples = samples;
  if (samples > 0) sampled.sampling.rows = {{about, 0, "selected", samples, 0}};
  if (!digest.empty()) sampled.sampling.code = {Code(about, digest)};
  return sampled;
}

TEST(ProgramRecording, StoresCodeWithoutSamplesWhereNoProcessHasSamples) {
  const Scratch scratch;
  ProcessTrace trace = Process(1);
  trace.kernels = {"a", "b", "c"};
  for (int kernel = 0; kernel < 3; ++kernel) Launch(trace, kernel, 100 * kernel, 30 - kernel);
  ProcessTrace first = Process(2), second = Process(3);
  first.sampled = {Sampling("a", "d1", 0), Sampling("b", "d1", 500), Sampling("c", "", 0)};
  second.sampled = {Sampling("a", "d1", 0), Sampling("b", "other", 0)};
  for (const bool is_swapped : {false, true}) {
    const std::filesystem::path file = scratch / (is_swapped ? "swapped.db" : "m.db");
    {
      Database database = Database::OpenForRecording(file);
      const RunRecord run = NewRun("none");
      StoredProgram stored(database, run, Read(trace), {"", "", ""});
      const std::vector<ProcessTrace> traces = is_swapped ? std::vector{second, first} : std::vector{first, second};
      EXPECT_EQ(stored.AddSamples(traces).stored, 500);
      stored.Finish();
    }
    const Database database = Database::OpenForReading(file);
    const std::vector<LaunchId> launches = database.Launches(database.Runs().at(0).id, "", Ordinals::kAll);
    ASSERT_THAT(launches, SizeIs(3));
    const std::optional<SamplingRecord> a = database.Sampling(launches[0]), b = database.Sampling(launches[1]);
    ASSERT_TRUE(a && b);
    EXPECT_EQ(a->samples, 0);
    EXPECT_THAT(a->code, SizeIs(1));
    EXPECT_EQ(b->samples, 500);
    EXPECT_EQ(b->launches, 3) << "the process without samples sampled none";
    ASSERT_THAT(b->code, SizeIs(1)) << "the code that was sampled";
    EXPECT_EQ(b->code[0].digest, "d1");
    EXPECT_FALSE(database.Sampling(launches[2])) << "neither code nor samples";
  }
}

TEST(ProgramRecording, ListsLaunchesAndCopiesOverTime) {
  ProcessTrace trace = Process(1), other = Process(2);
  other.devices[0] = Gpu("GPU-2");
  Launch(trace, 0, 1000, 30, 0);
  Launch(trace, 1, 1050, 200);
  trace.launches.back().stream = 13, trace.launches.back().from_graph = true;
  trace.copies = {{CopyKind::kToHost, 0, 100, 1'290'000, 1'295'000}};
  Launch(other, 1, 1040, 10, 1);
  const std::vector<ProcessTrace> traces{trace, other};
  const TimedProgram timed = ReadTimed(traces);
  const TimelineRecord& timeline = timed.timeline;
  EXPECT_EQ(timeline.span_ns, 295'000);
  EXPECT_EQ(timeline.bin_ns, 0) << "nothing was sampled";
  EXPECT_EQ(timeline.left_out, 0);
  ASSERT_THAT(timeline.windows, SizeIs(1));
  EXPECT_EQ(timeline.windows[0].end_ns, 295'000);
  ASSERT_THAT(timeline.launches, SizeIs(3));
  const auto class_of = [&](const TimelineLaunch& launch) {
    return timed.classes[static_cast<std::size_t>(launch.launch)];
  };
  EXPECT_EQ(timeline.launches[0].start_ns, 0);
  EXPECT_EQ(timeline.launches[0].duration_ns, 30'000);
  EXPECT_EQ(timeline.launches[0].range, "step 1");
  EXPECT_EQ(timed.kernels[class_of(timeline.launches[0]).kernel].symbol, "a");
  EXPECT_EQ(class_of(timeline.launches[0]).nvtx, "step #");
  EXPECT_EQ(timeline.launches[1].gpu, 1);
  EXPECT_EQ(timeline.launches[1].start_ns, 40'000);
  EXPECT_EQ(timed.kernels[class_of(timeline.launches[2]).kernel].symbol, "b");
  EXPECT_EQ(class_of(timeline.launches[2]).nvtx, "");
  EXPECT_EQ(timeline.launches[2].stream, 13);
  EXPECT_TRUE(timeline.launches[2].from_graph);
  ASSERT_THAT(timeline.copies, SizeIs(1));
  EXPECT_EQ(timeline.copies[0].start_ns, 290'000);
  EXPECT_EQ(timeline.copies[0].bytes, 100);
}

TEST(ProgramRecording, StoresTheTimelineAndProfilesInsideKernels) {
  const Scratch scratch;
  const TimedProgram timed = Read(SampledProcess());
  StoreSampled(timed, scratch / "m.db");
  const Database database = Database::OpenForReading(scratch / "m.db");
  const RunId run = database.Runs().at(0).id;
  const std::optional<TimelineRecord> timeline = database.Timeline(run);
  ASSERT_TRUE(timeline);
  EXPECT_THAT(timeline->launches, SizeIs(8000));
  EXPECT_EQ(timeline->bin_ns, 8000 * 36 * 1000 / 2000);
  ASSERT_THAT(timeline->turns, SizeIs(1));
  const TimelineTurn& turn = timeline->turns[0];
  double executed = 0;
  for (const TimelineCounter& counter : turn.counters)
    if (counter.metric.id == "inst_executed")
      for (const auto& sum : counter.sums) executed += sum.value_or(0);
  EXPECT_NEAR(executed, 4000 * (43 * 100 + 29 * 10), 1e-3 * 4000 * 4590);
  // Both kernels work evenly, at 100 and 10 instructions in each us.
  const std::vector<LaunchId> launches = database.Launches(run, "", Ordinals::kAll);
  ASSERT_THAT(launches, SizeIs(2));
  for (const auto& [launch, per_us, us] : {std::tuple{launches[0], 100.0, 43.0}, std::tuple{launches[1], 10.0, 29.0}}) {
    const std::vector<PhaseProfile> profiles = database.Profiles(launch);
    const auto profile = std::ranges::find(profiles, "inst_executed", [](const auto& p) { return p.metric.id; });
    ASSERT_NE(profile, profiles.end());
    EXPECT_NEAR(profile->duration_ns, us * 1000, 1);
    ASSERT_GT(profile->counts.size(), 5u);
    EXPECT_EQ(profile->errors.size(), profile->counts.size());
    EXPECT_NEAR(std::accumulate(profile->counts.begin(), profile->counts.end(), 0.0), per_us * us, 0.02 * per_us * us);
    // The second kernel's phases are blurred by the first one, which counts ten times as much.
    for (std::size_t q = 1; q + 1 < profile->counts.size() && per_us > 50; ++q)
      EXPECT_NEAR(profile->counts[q], per_us * us * (profile->edges[q + 1] - profile->edges[q]),
                  0.05 * per_us * us / 12)
          << q;
  }
}

TEST(ProgramRecording, HasNoSampledCountersWhereNothingWasSampled) {
  ProcessTrace trace = SampledProcess();
  trace.counters.clear();
  EXPECT_THAT(Read(trace).classes[0].sampled, IsEmpty());
}

TEST(ProgramRecording, AddsUpAMillionLaunches) {
  ProcessTrace trace = Process(1);
  trace.kernels.clear();
  for (int i = 0; i < 300; ++i) trace.kernels.push_back("_ZN2at6native6kernelILi" + std::to_string(i) + "EEEvv");
  trace.ranges.clear();
  for (int i = 0; i < 1000; ++i) trace.ranges.push_back("training/step " + std::to_string(i) + "/forward");
  for (int i = 0; i < 1'000'000; ++i) Launch(trace, i % 300, 7 * i, 5, i / 1000, i % 7 == 0 ? kWide : kNarrow);
  const TimedProgram timed = Read(trace);
  EXPECT_EQ(std::accumulate(timed.classes.begin(), timed.classes.end(), std::int64_t{0},
                            [](std::int64_t sum, const LaunchClass& c) { return sum + c.calls; }),
            1'000'000);
  EXPECT_NEAR(Sum(timed) / *timed.program.span_us, 1, 1e-9);
}

}  // namespace
}  // namespace culprit
