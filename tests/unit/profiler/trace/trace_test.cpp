// SPDX-License-Identifier: Apache-2.0
#include "profiler/trace/trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <functional>
#include <limits>
#include <tuple>

#include "db/error.h"
#include "tests/support/scratch.h"

namespace culprit {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const LaunchGeometry kGeometry{4096, 2, 1, 256, 1, 1, 49152};

TEST(Trace, ReadsWhatWasWritten) {
  const Scratch scratch;
  {
    TraceWriter writer(scratch.path(), 4711);
    writer.Process(4711, 4710, "./app --name 'a\tb'\n", {"580.159.04", "13.0", "", "26", "", ""});
    writer.AddDevice(1, {"GPU-1",
                         {.name = "NVIDIA H200",
                          .chip = "GH100",
                          .cc_major = 9,
                          .sm_count = 132,
                          .sm_clock_mhz = 1980.5,
                          .memory_bytes = 150'000'000'000}});
    const int a = writer.KernelNumber("_Z1afPi"), b = writer.KernelNumber("tab\there\\n");
    EXPECT_EQ(writer.KernelNumber("_Z1afPi"), a);
    const int range = writer.RangeNumber("step 1/forward");
    writer.Build({"",
                  "sm_90",
                  "_Z1afPi",
                  "0123456789abcdef",
                  {{"registers", "cubin", 122.0, ReadingStatus::kOk},
                   {"local_bytes", "cubin", std::nullopt, ReadingStatus::kFailed}}});
    writer.Place("_Z1afPi", {"src/a b.cu", 17});
    writer.Stack({"_Z1afPi", kGeometry, "step #", {{"a\tb.py", 42, "step"}, {"train.py", 7, "<module>"}}});
    writer.Stack({"_Z1bv", {}, "", {{"<string>", 1, "f"}}});
    writer.Launch({a, kGeometry, 1, 1, 7, range, true, 1'700'000'000'000'000'000, 1'700'000'000'000'001'000});
    writer.Launch({b, {}, 0, 1, 7, -1, false, 5, 5});
    writer.Copy({CopyKind::kToHost, 1, 4096, 10, 20});
    const MetricDefinition metric{"sm_inst", "range", "smsp__inst_executed.sum", "inst", "instructions"};
    writer.Counted({a,
                    kGeometry,
                    range,
                    3,
                    {{metric, 0.1, ReadingStatus::kOk}, {metric, std::nullopt, ReadingStatus::kDenied}},
                    {},
                    ""});
    writer.Counted({b, {}, -1, 0, {}, {}, "it waits for the host"});
    writer.Counted({a,
                    kGeometry,
                    -1,
                    0,
                    {{metric, 7.0, ReadingStatus::kOk}},
                    {{"_Z1afPi", 16, "a b.cu", 3, {{"sm_inst", 7.0}, {"of no reading", 1.0}}, "LDS"}},
                    ""});
    writer.Warn({"code", "text"});
    writer.LaunchesSeen(9);
    writer.OwnMemory(5'000);
    writer.Complete();
  }
  const std::vector<ProcessTrace> traces = ReadTraces(scratch.path());
  ASSERT_THAT(traces, SizeIs(1));
  const ProcessTrace& t = traces[0];
  EXPECT_EQ(t.pid, 4711);
  EXPECT_EQ(t.parent, 4710);
  EXPECT_EQ(t.command_line, "./app --name 'a\tb'\n");
  EXPECT_EQ(t.toolchain.driver, "580.159.04");
  EXPECT_EQ(t.toolchain.cupti, "26");
  ASSERT_TRUE(t.devices.contains(1));
  EXPECT_EQ(t.devices.at(1).uuid, "GPU-1");
  EXPECT_EQ(t.devices.at(1).device.sm_clock_mhz, 1980.5);
  EXPECT_EQ(t.devices.at(1).device.memory_bytes, 150'000'000'000);
  EXPECT_THAT(t.kernels, ElementsAre("_Z1afPi", "tab\there\\n"));
  EXPECT_THAT(t.ranges, ElementsAre("step 1/forward"));
  ASSERT_THAT(t.builds, SizeIs(1));
  EXPECT_EQ(t.builds[0].cubin_digest, "0123456789abcdef");
  ASSERT_THAT(t.builds[0].attributes, SizeIs(2));
  EXPECT_EQ(t.builds[0].attributes[0].value, 122);
  EXPECT_EQ(t.builds[0].attributes[1].value, std::nullopt);
  EXPECT_EQ(t.builds[0].attributes[1].status, ReadingStatus::kFailed);
  EXPECT_EQ(t.places.at("_Z1afPi"), (SourceFrame{"src/a b.cu", 17}));
  ASSERT_THAT(t.stacks, SizeIs(2));
  EXPECT_EQ(t.stacks[0].symbol, "_Z1afPi");
  EXPECT_EQ(t.stacks[0].geometry, kGeometry);
  EXPECT_EQ(t.stacks[0].range, "step #");
  EXPECT_THAT(t.stacks[0].frames,
              ElementsAre(PythonFrame{"a\tb.py", 42, "step"}, PythonFrame{"train.py", 7, "<module>"}));
  EXPECT_EQ(t.stacks[1].range, "");
  EXPECT_THAT(t.stacks[1].frames, ElementsAre(PythonFrame{"<string>", 1, "f"}));
  EXPECT_THAT(t.kernels, SizeIs(2)) << "a stack is of no kernel that ran";
  ASSERT_THAT(t.launches, SizeIs(2));
  EXPECT_EQ(t.launches[0].geometry, kGeometry);
  EXPECT_EQ(t.launches[0].end_ns - t.launches[0].start_ns, 1000);
  EXPECT_TRUE(t.launches[0].from_graph);
  EXPECT_EQ(t.launches[0].range, 0);
  EXPECT_EQ(t.launches[1].range, -1);
  ASSERT_THAT(t.copies, SizeIs(1));
  EXPECT_EQ(t.copies[0].kind, CopyKind::kToHost);
  ASSERT_THAT(t.counted, SizeIs(3));
  ASSERT_THAT(t.counted[2].instructions, SizeIs(1));
  EXPECT_EQ(t.counted[2].instructions[0].pc_offset, 16);
  EXPECT_EQ(t.counted[2].instructions[0].source_file, "a b.cu");
  EXPECT_EQ(t.counted[2].instructions[0].opcode, "LDS");
  EXPECT_THAT(t.counted[2].instructions[0].counts, ElementsAre(std::pair("sm_inst", 7.0)));
  EXPECT_EQ(t.counted[0].nth, 3);
  ASSERT_THAT(t.counted[0].readings, SizeIs(2));
  EXPECT_EQ(t.counted[0].readings[0].value, 0.1);
  EXPECT_EQ(t.counted[0].readings[0].metric.cupti_name, "smsp__inst_executed.sum");
  EXPECT_EQ(t.counted[0].readings[1].status, ReadingStatus::kDenied);
  EXPECT_EQ(t.counted[1].not_counted, "it waits for the host");
  EXPECT_THAT(t.warnings, SizeIs(1));
  EXPECT_EQ(t.launches_seen, 9);
  EXPECT_EQ(t.peak_bytes, 5'000);
  EXPECT_TRUE(t.complete);
}

TracedSampling InventedSampling() {
  SamplingRecord s{4096, 3, 1000, 7, {}, {}};
  s.rows = {{"_Z1afPi", 16, "long_scoreboard", 600, 550},
            {"_Z1afPi", 32, "selected", 300, 0},
            {"tab\there", 0, "wait", 1, 1}};
  s.code = {{"_Z1afPi",
             "0123456789abcdef",
             {{0, 0xffff'ffff'ffff'fff0, 1, "LDG.E", "R2, [R4.64]", 4, true, 2, -1, 0, {{"a b.cuh", 3}, {"a.cu", 9}}},
              {16, 1, 2, "", "", 15, false, -1, 5, 63, {}}},
             {{{"a b.cuh", 3}, "\tsum += x;  // a\\b"}, {{"a.cu", 9}, ""}}}};
  return {"gemm/v\t1/4096", s};
}

void ExpectEqual(const TracedSampling& a, const TracedSampling& b) {
  EXPECT_EQ(a.about, b.about);
  const SamplingRecord &s = a.sampling, &t = b.sampling;
  EXPECT_EQ(std::tie(s.period_cycles, s.launches, s.samples, s.dropped),
            std::tie(t.period_cycles, t.launches, t.samples, t.dropped));
  ASSERT_EQ(s.rows.size(), t.rows.size());
  for (std::size_t i = 0; i < s.rows.size(); ++i) {
    const PcSample &p = s.rows[i], &q = t.rows[i];
    EXPECT_EQ(std::tie(p.function, p.pc_offset, p.reason, p.samples, p.not_issued),
              std::tie(q.function, q.pc_offset, q.reason, q.samples, q.not_issued));
  }
  ASSERT_EQ(s.code.size(), t.code.size());
  for (std::size_t i = 0; i < s.code.size(); ++i) {
    EXPECT_EQ(s.code[i].function, t.code[i].function);
    EXPECT_EQ(s.code[i].digest, t.code[i].digest);
    EXPECT_EQ(s.code[i].instructions, t.code[i].instructions);
    EXPECT_EQ(s.code[i].quotes, t.code[i].quotes);
  }
}

TEST(Trace, ReadsSamplesAsTheyWereWritten) {
  const Scratch scratch;
  {
    TraceWriter writer(scratch.path(), 1);
    writer.Sampled(InventedSampling());
    writer.Sampled({"none", {256, 1, 0, 0, {}, {}}});
  }
  const std::vector<ProcessTrace> traces = ReadTraces(scratch.path());
  ASSERT_THAT(traces.at(0).sampled, SizeIs(2));
  ExpectEqual(traces[0].sampled[0], InventedSampling());
  ExpectEqual(traces[0].sampled[1], {"none", {256, 1, 0, 0, {}, {}}});
}

// What `write` writes to a descriptor.
std::string Written(const std::function<void(TraceWriter&)>& write) {
  const int file = memfd_create("trace", MFD_CLOEXEC);
  {
    TraceWriter writer(file);
    write(writer);
  }
  std::string text(static_cast<std::size_t>(lseek(file, 0, SEEK_CUR)), '\0');
  EXPECT_EQ(pread(file, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
  close(file);
  return text;
}

TEST(Trace, ReadsSampledCountersAsTheyWereWritten) {
  const Scratch scratch;
  const MetricDefinition executed{"inst_executed", "sampled", "TPC.a.sum", "inst", "instructions"};
  const MetricDefinition read{"dram_read_bytes", "sampled", "dram__bytes_read.sum", "byte", "bytes"};
  {
    TraceWriter writer(scratch.path(), 1);
    const std::int64_t both = writer.Counters(1, std::vector{executed, read});
    const std::int64_t one = writer.Counters(0, std::vector{read});
    writer.Record(both, 1'000, 98'000, std::vector{1e9, 0.0});
    writer.Record(one, 50, 60, std::vector{7.0});
    writer.Record(both, 98'000, 195'000, std::vector{2.0, 3.0});
    writer.Record(both, 97'000, 98'000, std::vector{2.0, 3.0});     // overlaps the one before
    writer.Record(both, 195'000, 196'000, std::vector{2.0});        // lacks a value
    writer.Record(both, 195'000, 196'000, std::vector{2.0, -1.0});  // counts nothing less than nothing
    writer.Record(both + 7, 195'000, 196'000, std::vector{2.0, 3.0});
  }
  const std::vector<ProcessTrace> traces = ReadTraces(scratch.path());
  ASSERT_THAT(traces, SizeIs(1));
  ASSERT_THAT(traces[0].counters, SizeIs(2));
  const TracedCounters& counters = traces[0].counters[0];
  EXPECT_EQ(counters.device, 1);
  ASSERT_THAT(counters.metrics, SizeIs(2));
  EXPECT_EQ(counters.metrics[0].id, "inst_executed");
  EXPECT_EQ(counters.metrics[1].cupti_name, "dram__bytes_read.sum");
  EXPECT_THAT(counters.start_ns, ElementsAre(1'000, 98'000));
  EXPECT_THAT(counters.end_ns, ElementsAre(98'000, 195'000));
  EXPECT_THAT(counters.values, ElementsAre(1e9, 0, 2, 3));
  EXPECT_THAT(traces[0].counters[1].values, ElementsAre(7));
  ASSERT_THAT(traces[0].warnings, SizeIs(1));
  EXPECT_THAT(traces[0].warnings[0].text, HasSubstr("4 of "));
}

TEST(Trace, ReadsAReportThatIsNoFile) {
  const ProcessTrace trace = ParseTrace(Written([](TraceWriter& writer) {
                                          writer.Sampled(InventedSampling());
                                          writer.CountingTook(0.5);
                                          writer.MemoryUsed(12'000'000'000);
                                          writer.Warn({"code", "a\tb"});
                                        }),
                                        "report");
  EXPECT_EQ(trace.counting_s, 0.5);
  EXPECT_EQ(trace.memory_bytes, 12'000'000'000);
  ASSERT_THAT(trace.sampled, SizeIs(1));
  ExpectEqual(trace.sampled[0], InventedSampling());
  ASSERT_THAT(trace.warnings, SizeIs(1));
  EXPECT_EQ(trace.warnings[0].text, "a\tb");
}

TEST(Trace, LeavesOutSamplesThatWereNotWrittenToTheirEnd) {
  const auto times = [](int count) {
    return Written([&](TraceWriter& writer) {
      for (int i = 0; i < count; ++i) writer.Sampled(InventedSampling());
    });
  };
  const std::string first = times(1), all = times(2);
  for (std::size_t size = first.size(); size < all.size(); ++size) {
    const ProcessTrace trace = ParseTrace(std::string_view(all).substr(0, size), "t");
    ASSERT_THAT(trace.sampled, SizeIs(1)) << size;
  }
  EXPECT_THAT(ParseTrace(all, "t").sampled, SizeIs(2));
}

TEST(Trace, LeavesOutSamplesThatCannotBe) {
  for (const char* row :
       {"sample\t0\t1\t0\twait\t1\t0", "sample\t0\t0\t-16\twait\t1\t0", "sample\t0\t0\t0\twait\t1\t2",
        "sample\t0\t0\t0\twait\t-1\t0", "encoding\t0\t0\t0\t1\t1\tNOP\t\t0\t0\t7\t-1\t0", "encoding\t0\t0\t0\t1"}) {
    const ProcessTrace trace =
        ParseTrace(std::string("culprit-trace\t3\ncode\t0\t0\tk\td\n") + row + "\nsampling\t0\tk\t256\t1\t1\t0\n", "t");
    ASSERT_THAT(trace.sampled, SizeIs(1)) << row;
    EXPECT_TRUE(trace.sampled[0].sampling.rows.empty() && trace.sampled[0].sampling.code.empty()) << row;
  }
  EXPECT_TRUE(ParseTrace("culprit-trace\t3\nsampling\t0\tk\t256\t-1\t1\t0\n", "t").sampled.empty());
}

TracedTiming InventedTiming() {
  TracedTiming timing{"sgemm/v1_6/4096", {}, 2, {}, {}};
  LaunchRecord& r = timing.record;
  r.arch = "sm_90";
  r.kernel = "v1_6";
  r.grid_x = 4294967295u, r.grid_y = 2, r.grid_z = 3;
  r.block_x = 256, r.block_y = 1, r.block_z = 4;
  r.dynamic_shared_bytes = 65536;
  r.verify_error_over_bound = 0.1;
  r.verify_reference = "cublas";
  timing.launched = {{"registers", "runtime", 128.0, ReadingStatus::kOk},
                     {"local_bytes", "runtime", std::nullopt, ReadingStatus::kUnsupported}};
  timing.samples = {{0, 1.0 / 3, 1980.1, false, false}, {1, 12345.678, std::nullopt, true, true}};
  return timing;
}

TEST(Trace, ReadsTimesOfABenchmarkAsTheyWereWritten) {
  const TracedTiming was = InventedTiming();
  const ProcessTrace trace = ParseTrace(Written([&](TraceWriter& writer) { writer.Timed(was); }), "t");
  ASSERT_THAT(trace.timed, SizeIs(1));
  const TracedTiming& is = trace.timed[0];
  EXPECT_EQ(is.about, was.about);
  EXPECT_EQ(is.kernels, 2);
  const LaunchRecord &r = is.record, &w = was.record;
  EXPECT_EQ(std::tie(r.arch, r.kernel, r.grid_x, r.grid_y, r.grid_z, r.block_x, r.block_y, r.block_z),
            std::tie(w.arch, w.kernel, w.grid_x, w.grid_y, w.grid_z, w.block_x, w.block_y, w.block_z));
  EXPECT_EQ(r.dynamic_shared_bytes, 65536);
  EXPECT_EQ(r.state, LaunchState::kOk);
  EXPECT_EQ(r.verify_error_over_bound, 0.1);
  EXPECT_EQ(r.verify_reference, "cublas");
  ASSERT_THAT(is.launched, SizeIs(2));
  EXPECT_EQ(is.launched[0].value, 128);
  EXPECT_EQ(is.launched[1].value, std::nullopt);
  EXPECT_EQ(is.launched[1].status, ReadingStatus::kUnsupported);
  ASSERT_THAT(is.samples, SizeIs(2));
  EXPECT_EQ(is.samples[0].time_us, 1.0 / 3) << "bit by bit";
  EXPECT_EQ(is.samples[0].clock_mhz, 1980.1);
  EXPECT_EQ(is.samples[1].repetition, 1);
  EXPECT_EQ(is.samples[1].clock_mhz, std::nullopt);
  EXPECT_TRUE(is.samples[1].low_clock);
  EXPECT_TRUE(is.samples[1].gate_open);
}

TEST(Trace, TellsAFailureWithAnErrorThatNoNumberHolds) {
  TracedTiming was = InventedTiming();
  was.record.state = LaunchState::kFailed;
  was.record.message = "verification failed: \"c\"\n[0] is \xff";
  was.record.verify_error_over_bound = std::numeric_limits<double>::infinity();
  const ProcessTrace trace = ParseTrace(Written([&](TraceWriter& writer) { writer.Timed(was); }), "t");
  ASSERT_THAT(trace.timed, SizeIs(1));
  EXPECT_EQ(trace.timed[0].record.state, LaunchState::kFailed);
  EXPECT_EQ(trace.timed[0].record.verify_error_over_bound, std::numeric_limits<double>::infinity());
  EXPECT_EQ(trace.timed[0].record.message, was.record.message);
}

TEST(Trace, OfAProcessThatDiedHoldsTheTimesThatItHadWritten) {
  const std::string all = Written([](TraceWriter& writer) {
    writer.Timed(InventedTiming());
    writer.Timed(InventedTiming());
  });
  EXPECT_THAT(ParseTrace(std::string_view(all).substr(0, all.size() - 1), "t").timed, SizeIs(1));
}

TEST(Trace, HasEachInstructionOnce) {
  const ProcessTrace trace = ParseTrace(
      "culprit-trace\t3\nkernel\t0\tk\nmetric\t0\tm\tsass\tn\tinst\tx\n"
      "counted\t0\t0\t1\t1\t1\t32\t1\t1\t0\t-1\t0\t\ninstruction\t0\tf\tk.cu\t16\t1\tLDG\t0\t5\n"
      "instruction\t0\tf\tk.cu\t16\t1\tLDG\t0\t5\n"
      "counted\t1\t0\t1\t1\t1\t32\t1\t1\t0\t-1\t1\t\ninstruction\t1\tf\tk.cu\t16\t1\tLDG\t0\t5\n",
      "t");
  ASSERT_THAT(trace.counted, SizeIs(2));
  EXPECT_THAT(trace.counted[0].instructions, SizeIs(1));
  EXPECT_THAT(trace.counted[1].instructions, SizeIs(1));
  ASSERT_THAT(trace.warnings, SizeIs(1));
  EXPECT_THAT(trace.warnings[0].text, HasSubstr("1 of 7 lines"));
}

TEST(Trace, APlanSaysHowDenselyToSample) {
  const Scratch scratch;
  WritePlan(scratch.path(), {.mode = TraceMode::kSample, .kernels = {}, .sampling_period = 9});
  EXPECT_EQ(ReadPlan(scratch.path()).mode, TraceMode::kSample);
  EXPECT_EQ(ReadPlan(scratch.path()).sampling_period, 9);
}

TEST(Trace, WhatComesAfterTheFirstIsSummed) {
  const Scratch scratch;
  {
    TraceWriter writer(scratch.path(), 7, 3);
    const int a = writer.KernelNumber("a");
    for (int i = 0; i < 10; ++i) {
      const int range = writer.RangeNumber("step " + std::to_string(i));
      writer.Launch({a, kGeometry, 0, 1, i, range, false, 1000 * i, 1000 * i + 100 + i});
    }
    writer.Copy({CopyKind::kSet, 0, 64, 20'000, 20'500});
    writer.Copy({CopyKind::kSet, 0, 64, 21'000, 21'500});
    writer.Launch({a, kGeometry, 0, 1, 7, -1, false, 0, 9'000'000'000'000'000'000});  // a clock jumped
    writer.LaunchesSeen(11);
    writer.Complete();
  }
  const ProcessTrace t = ReadTraces(scratch.path()).at(0);
  EXPECT_THAT(t.ranges, ElementsAre("step 0", "step 1", "step 2", "step #"));
  ASSERT_THAT(t.launches, SizeIs(3));
  EXPECT_EQ(t.launches[2].start_ns, 2000);
  EXPECT_EQ(t.launches[2].stream, 2);
  ASSERT_THAT(t.summed_launches, SizeIs(1)) << "of all streams";
  const SummedLaunches& sum = t.summed_launches[0];
  EXPECT_EQ(sum.like.geometry, kGeometry);
  EXPECT_EQ(sum.like.range, 3);
  EXPECT_EQ(sum.sum.calls, 7);
  EXPECT_EQ(sum.sum.time_ns, 7 * 100 + 3 + 4 + 5 + 6 + 7 + 8 + 9);
  EXPECT_EQ(sum.sum.slowest_ns, 109);
  EXPECT_EQ(sum.sum.first_ns, 3000);
  EXPECT_EQ(sum.sum.last_ns, 9109);
  EXPECT_DOUBLE_EQ(sum.sum.share_us, 0.742);
  EXPECT_THAT(sum.sum.samples_ns, ElementsAre(103, 104, 105, 106, 107, 108, 109));
  ASSERT_THAT(t.summed_copies, SizeIs(1));
  EXPECT_EQ(t.summed_copies[0].like.kind, CopyKind::kSet);
  EXPECT_EQ(t.summed_copies[0].sum.calls, 2);
  EXPECT_EQ(t.summed_copies[0].sum.bytes, 128);
  EXPECT_TRUE(t.complete);
}

TEST(Trace, ALongFileIsReadWholeAcrossItsPieces) {
  const Scratch scratch;
  const std::string longest(3'000'000, 'k');
  {
    TraceWriter writer(scratch.path(), 7);
    for (int i = 0; i < 100'000; ++i) writer.Copy({CopyKind::kSet, 0, i, i, i + 1});
    writer.KernelNumber(longest);
    writer.Complete();
  }
  const ProcessTrace t = ReadTraces(scratch.path()).at(0);
  EXPECT_THAT(t.copies, SizeIs(100'000));
  EXPECT_EQ(t.copies.back().bytes, 99'999);
  EXPECT_EQ(t.kernels.at(0), longest);
  EXPECT_TRUE(t.complete);
}

TEST(Trace, TwoProgramsOfOneProcessHaveAFileEach) {
  const Scratch scratch;
  TraceWriter first(scratch.path(), 5), second(scratch.path(), 5);
  first.Flush(), second.Flush();
  EXPECT_THAT(ReadTraces(scratch.path()), SizeIs(2));
}

TEST(Trace, EveryPrefixIsReadUpToItsLastWholeLine) {
  const std::string text =
      "culprit-trace\t3\nkernel\t0\tk\nkind\t0\t0\t-1\t1\t1\t1\t32\t1\t1\t0\t0\t1\t7\t0\nlaunch\t0\t10\t20\nseen\t1\n"
      "complete\n";
  for (std::size_t size = std::string("culprit-trace\t3\n").size(); size <= text.size(); ++size) {
    const ProcessTrace trace = ParseTrace(std::string_view(text).substr(0, size), "t");
    EXPECT_EQ(trace.complete, size == text.size());
    EXPECT_LE(trace.launches.size(), trace.kernels.size());
  }
}

TEST(Trace, WhatIsWrongIsLeftOut) {
  const std::string head = "culprit-trace\t3\nkernel\t0\tk\n";
  for (const char* line : {"kind\t0\t1\t-1\t1\t1\t1\t32\t1\t1\t0\t0\t1\t7\t0\nlaunch\t0\t10\t20",
                           "kind\t0\t-1\t-1\t1\t1\t1\t32\t1\t1\t0\t0\t1\t7\t0\nlaunch\t0\t10\t20",
                           "kind\t0\t0\t0\t1\t1\t1\t32\t1\t1\t0\t0\t1\t7\t0\nlaunch\t0\t10\t20",
                           "kind\t0\t0\t-1\t1\t1\t1\t32\t1\t1\t-5\t0\t1\t7\t0\nlaunch\t0\t10\t20",
                           "kind\t0\t0\t-1\t99999999999\t1\t1\t32\t1\t1\t0\t0\t1\t7\t0\nlaunch\t0\t10\t20",
                           "launch\t0\t10\t20",
                           "launch\t0",
                           "launch",
                           "kind\t0\t0\t-1\t1\t1\t1\t32\t1\t1\t0\t0\t1\t7\t0\nlaunch\t0\t10\t-20",
                           "kind\t0\t0\t-1\t1\t1\t1\t32\t1\t1\t0\t0\t1\t7\t0\nlaunch\t0\t-10\t20",
                           "kind\t0\t0\t-1\t1\t1\t1\t32\t1\t1\t0\t0\t1\t7\t0\nlaunch\t0\t10\t9223372036854775807",
                           "copy\tsideways\t0\t1\t1\t2",
                           "copy\tset\t0\t-1\t1\t2",
                           "counted\t0\t0\t1\t1\t1\t32\t1\t1\t0\t-1\t0\t\t0\t5\tok",
                           "copies\tset\t0\t0\t0\t0\t0\t0\t0\t0",
                           "copies\tset\t0\t1\t0\t5\t9\t0\t9\t0",
                           "copies\tset\t0\t1\t0\t5000\t5\t0\t9\t5.1",
                           "copies\tset\t0\t1\t0\t5000\t5\t0\t9\t5\t1\t2",
                           "",
                           "\t\t\t"}) {
    const ProcessTrace trace = ParseTrace(head + line + "\n", "t");
    EXPECT_TRUE(trace.launches.empty() && trace.copies.empty() && trace.counted.empty() && trace.summed_copies.empty())
        << line;
  }
  const std::string metric = "metric\t0\tm\trange\tn\tinst\tx\n";
  for (const char* end : {"0\tinf\tok", "0\tnan\tok", "0\t1\tfailed", "0\t\tok", "0\t1\tunicorn", "0\t1"})
    EXPECT_TRUE(
        ParseTrace(head + metric + "counted\t0\t0\t1\t1\t1\t32\t1\t1\t0\t-1\t0\t\t" + end + "\n", "t").counted.empty())
        << end;
}

TEST(Trace, RefusesOtherFiles) {
  EXPECT_THROW(ParseTrace("", "t"), Error);
  EXPECT_THROW(ParseTrace("SQLite format 3\n", "t"), Error);
  EXPECT_THROW(ReadTrace("/no/such/file"), Error);
}

TEST(Trace, IsAFileAndNothingThatWaitsOrNeverEnds) {
  const Scratch folder;
  ASSERT_EQ(mkfifo((folder / "1-0.trace").c_str(), 0600), 0);
  std::filesystem::create_symlink("/dev/zero", folder / "2-0.trace");
  std::filesystem::create_directory(folder / "3-0.trace");
  ASSERT_EQ(mkfifo((folder / kPlanName).c_str(), 0600), 0);
  EXPECT_THAT(ComplaintOf([&] { ReadTrace(folder / "1-0.trace"); }), HasSubstr("it is a FIFO"));
  EXPECT_THAT(ComplaintOf([&] { ReadTrace(folder / "2-0.trace"); }), HasSubstr("it is a device"));
  EXPECT_THAT(ComplaintOf([&] { ReadPlan(folder.path()); }), HasSubstr("it is a FIFO"));
  EXPECT_THAT(ReadTraces(folder.path()), SizeIs(3));
}

TEST(Trace, SaysWhenNothingOfItCanBeRead) {
  const Scratch folder;
  std::ofstream(folder / "1-0.trace") << "cuXprit-trace\t3\nkernel\t0\tk\n";
  std::ofstream(folder / "2-0.trace") << "";
  const std::vector<ProcessTrace> traces = ReadTraces(folder.path());
  ASSERT_THAT(traces, SizeIs(2));
  ASSERT_THAT(traces[0].warnings, SizeIs(1));
  EXPECT_EQ(traces[0].warnings[0].code, kTraceDamaged);
  EXPECT_THAT(traces[1].warnings, IsEmpty()) << "a process that was killed before it wrote a line";
}

std::vector<std::string> CodesOf(const ProcessTrace& trace) {
  std::vector<std::string> codes;
  for (const Warning& warning : trace.warnings) codes.push_back(warning.code);
  return codes;
}

// A line whose first word is damaged, or which is missing, moves no number of the lines behind it.
TEST(Trace, ADamagedLineChangesNothingThatOtherLinesName) {
  const std::string whole = Written([](TraceWriter& writer) {
    for (const char* name : {"a", "b"}) {
      const int kernel = writer.KernelNumber(name), range = writer.RangeNumber(std::string("range of ") + name);
      const std::int64_t start_ns = 1000 * (1 + kernel);
      writer.Launch({kernel, kGeometry, 0, 1, 7, range, false, start_ns, start_ns + 1000});
      const MetricDefinition metric{std::string("metric of ") + name, "sass", "", "inst", ""};
      writer.Counted({kernel,
                      kGeometry,
                      range,
                      0,
                      {{metric, 7.0, ReadingStatus::kOk}},
                      {{name, 16, "k.cu", 3, {{metric.id, 7.0}}, "LDS"}},
                      ""});
      TracedSampling sampling = InventedSampling();
      sampling.about = sampling.sampling.rows[0].function = sampling.sampling.code[0].function = name;
      sampling.sampling.rows.resize(1);
      writer.Sampled(sampling);
    }
    writer.Complete();
  });
  const auto lines = std::count(whole.begin(), whole.end(), '\n');
  std::size_t begin = whole.find('\n') + 1;
  for (int line = 1; line < lines; ++line) {
    std::string damaged = whole;
    damaged[begin] = '#';
    const ProcessTrace trace = ParseTrace(damaged, "t");
    for (const TracedLaunch& launch : trace.launches) {
      EXPECT_EQ(trace.ranges.at(launch.range), "range of " + trace.kernels.at(launch.kernel)) << line;
      EXPECT_EQ(launch.start_ns, trace.kernels.at(launch.kernel) == "a" ? 1000 : 2000) << line;
    }
    for (const CountedLaunch& launch : trace.counted) {
      EXPECT_EQ(trace.ranges.at(launch.range), "range of " + SymbolOf(trace, launch)) << line;
      EXPECT_EQ(launch.readings.at(0).metric.id, "metric of " + SymbolOf(trace, launch)) << line;
      for (const InstructionRecord& i : launch.instructions) EXPECT_EQ(i.function, SymbolOf(trace, launch)) << line;
    }
    for (const TracedSampling& sampled : trace.sampled) {
      for (const PcSample& row : sampled.sampling.rows) EXPECT_EQ(row.function, sampled.about) << line;
      for (const MachineCode& code : sampled.sampling.code) EXPECT_EQ(code.function, sampled.about) << line;
    }
    EXPECT_FALSE(trace.warnings.empty()) << line;
    begin = whole.find('\n', begin) + 1;
  }
}

TEST(Trace, SaysHowManyOfItsLinesAreDamaged) {
  const std::string head = "culprit-trace\t3\nkernel\t0\tk\n";
  const ProcessTrace trace = ParseTrace(head + "launch\t0\nlaumch\t0\t1\t2\n\nseen\t3\nunfini", "t");
  ASSERT_THAT(CodesOf(trace), ElementsAre("trace_damaged"));
  EXPECT_THAT(trace.warnings[0].text, HasSubstr("3 of 5 lines"));
  EXPECT_EQ(trace.launches_seen, 3);
  EXPECT_THAT(CodesOf(ParseTrace(head, "t")), IsEmpty());
}

// Else it would be stored, and the database could not be read.
TEST(Trace, HoldsNoNumberThatADatabaseMustNotHold) {
  const std::string head = "culprit-trace\t3\nkernel\t0\tk\nmetric\t0\tm\tsass\tn\tinst\tx\n",
                    counted = "counted\t0\t0\t1\t1\t1\t32\t1\t1\t0\t-1\t0\t\n";
  for (const std::string& line :
       {std::string("seen\t9223372036854775807"), std::string("seen\t-1"),
        std::string("build\tk\tsm_90\td\tregisters\truntime\t1e20\tok"),
        std::string("device\t0\tu\tn\tc\t9\t0\t-1\t128\t1980\t1\t1\t1\t1\t1\t1\t1"),
        std::string("device\t0\tu\tn\tc\t9\t0\t1\t128\t1e9\t1\t1\t1\t1\t1\t1\t1"), std::string("place\tk\tk.cu\t-5"),
        std::string("kind\t0\t0\t-1\t1\t1\t1\t32\t1\t1\t2000000000000000000\t0\t1\t7\t0"),
        std::string("copies\tset\t0\t2000000000000000\t0\t5\t5\t0\t9\t0"),
        std::string("copies\tset\t0\t1\t0\t20000000000000\t20000000000000\t0\t9\t0\t20000000000000"),
        std::string("code\t0\t0\tf\td\nencoding\t0\t0\t0\t1\t1\tNOP\t\t16\t0\t-1\t-1\t0"),
        std::string("code\t0\t0\tf\td\nencoding\t0\t0\t0\t1\t1\tNOP\t\t0\t0\t-1\t-1\t64"),
        std::string("code\t0\t0\tf\td\nquote\t0\t0\tk.cu\t0\tx"), std::string("sampling\t0\tk\t0\t1\t1\t0"),
        counted + "instruction\t0\tf\tk.cu\t-16\t1\tLDG\t0\t5",
        counted + "instruction\t0\tf\tk.cu\t0\t1\tLDG\t0\t-5"}) {
    const ProcessTrace trace = ParseTrace(head + line + "\n", "t");
    EXPECT_THAT(CodesOf(trace), ElementsAre("trace_damaged")) << line;
    EXPECT_TRUE(trace.launches_seen == 0 && trace.builds.empty() && trace.devices.empty() && trace.places.empty());
  }
}

TEST(Trace, PlanComesBack) {
  const Scratch scratch;
  EXPECT_THROW(ReadPlan(scratch.path()), Error);
  for (const char* damaged : {"mode\tcolour\n", "period\tx\n", "kernel\tk\t1\n", "\n"})
    EXPECT_THAT(ComplaintOf([&] { ParsePlan(std::string("culprit-plan\t1\n") + damaged, "p"); }),
                HasSubstr("damaged line"));
  WritePlan(scratch.path(), {TraceMode::kCount, "full", {{"k\t1", kGeometry, {0, 5, 9}, 12.5}}});
  const TracePlan plan = ReadPlan(scratch.path());
  EXPECT_EQ(plan.mode, TraceMode::kCount);
  EXPECT_EQ(plan.profile, "full");
  ASSERT_THAT(plan.kernels, SizeIs(1));
  EXPECT_EQ(plan.kernels[0].symbol, "k\t1");
  EXPECT_EQ(plan.kernels[0].geometry, kGeometry);
  EXPECT_THAT(plan.kernels[0].nth, ElementsAre(0, 5, 9));
  EXPECT_EQ(plan.kernels[0].limit_s, 12.5);
}

TEST(Trace, APlanHasItsCapture) {
  for (const char* text : {"delay:1.5,duration:10", "nvtx:a\tb", "profiler-api"}) {
    const Capture capture = ParseCapture(text);
    const TracePlan plan = ParsePlan(PlanText({.capture = capture, .began_ns = 123}), "p");
    EXPECT_EQ(plan.capture.kind, capture.kind);
    EXPECT_EQ(plan.capture.delay_s, capture.delay_s);
    EXPECT_EQ(plan.capture.duration_s, capture.duration_s);
    EXPECT_EQ(plan.capture.range, capture.range);
    EXPECT_EQ(plan.began_ns, 123);
  }
  EXPECT_EQ(ParsePlan(PlanText({}), "p").capture.kind, CaptureKind::kAll);
}

TEST(Trace, RanksComeBack) {
  EXPECT_THAT(ParsePlan(PlanText({.ranks = {0, 3}}), "p").ranks, ElementsAre(0, 3));
  EXPECT_THAT(ParsePlan(PlanText({}), "p").ranks, IsEmpty());
  const Scratch scratch;
  TraceWriter(scratch.path(), 7).Rank(12);
  TraceWriter(scratch.path(), 8).LaunchesSeen(0);
  const std::vector<ProcessTrace> traces = ReadTraces(scratch.path());
  EXPECT_EQ(traces.at(0).rank, 12);
  EXPECT_FALSE(traces.at(1).rank);
}

std::vector<std::pair<std::int64_t, std::int64_t>> WindowsOf(const ProcessTrace& trace) {
  std::vector<std::pair<std::int64_t, std::int64_t>> windows;
  for (const TracedWindow& window : trace.windows) windows.emplace_back(window.open_ns, window.close_ns);
  return windows;
}

TEST(Trace, WindowsComeBackAndOneThatIsStillOpenEndsWithTheLastWork) {
  const Scratch scratch;
  {
    TraceWriter writer(scratch.path(), 7);
    writer.WindowOpens(10);
    writer.WindowCloses(20);
    writer.WindowOpens(30);
    writer.Launch({writer.KernelNumber("k"), kGeometry, 0, 1, 7, -1, false, 31, 50});
    writer.Copy({CopyKind::kToHost, 0, 8, 32, 60});
    writer.WindowWorked(1, 31, 50);
  }
  const ProcessTrace trace = ReadTraces(scratch.path()).at(0);
  EXPECT_EQ(trace.windows.at(0).first_ns, 10) << "nothing is known of its work";
  EXPECT_EQ(trace.windows.at(0).last_ns, 20);
  EXPECT_EQ(trace.windows.at(1).first_ns, 31);
  EXPECT_EQ(trace.windows.at(1).last_ns, 50);
  EXPECT_THAT(WindowsOf(trace), ElementsAre(std::pair(10, 20), std::pair(30, 60)));
  EXPECT_THAT(trace.warnings, IsEmpty());
}

TEST(Trace, WindowsThatCannotBeAreDamaged) {
  const std::string magic = "culprit-trace\t3\n";
  for (const char* lines : {"closes\t5\n", "opens\t5\nopens\t6\n", "opens\t5\ncloses\t4\n", "opens\t-1\n",
                            "opens\t5\ncloses\t9\nopens\t8\n", "worked\t0\t1\t2\n", "opens\t5\nworked\t0\t9\t8\n"})
    EXPECT_THAT(CodesOf(ParseTrace(magic + lines, "t")), ElementsAre("trace_damaged")) << lines;
}

TEST(Trace, SaysWhereTheDiskWasFull) {
  const Scratch folder;
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto usual = std::signal(SIGXFSZ, SIG_IGN);
  {
    TraceWriter writer(folder.path(), 7);
    writer.KernelNumber("k");
    writer.Flush();
    const rlimit full{40, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &full);
    for (int i = 0; i < 9; ++i) writer.KernelNumber("kernel" + std::to_string(i)), writer.Flush();
    writer.Complete();
  }
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, usual);
  const std::vector<ProcessTrace> traces = ReadTraces(folder.path());
  ASSERT_EQ(traces.size(), 1);
  EXPECT_FALSE(traces[0].complete);
  EXPECT_EQ(traces[0].kernels.at(0), "k");
  ASSERT_EQ(traces[0].warnings.size(), 1);
  EXPECT_EQ(traces[0].warnings[0].code, kTraceCut);
  EXPECT_NE(traces[0].warnings[0].text.find("File too large"), std::string::npos) << traces[0].warnings[0].text;
}

}  // namespace
}  // namespace culprit
