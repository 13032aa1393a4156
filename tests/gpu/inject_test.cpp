// SPDX-License-Identifier: Apache-2.0
// libculprit_inject.so in a program that knows nothing of it (programs/sampler.cu): what it sees, what it counts, and
// that the program does what it does without.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "db/sampled_counters.h"
#include "profiler/trace/trace.h"
#include "tests/gpu/traced_program.h"
#include "tests/support/scratch.h"

namespace culprit {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Execution RunSampler(const std::string& what, const std::string& environment = {}) {
  return RunProgram("sampler", what, environment);
}

Traced RunTraced(const std::string& what, const TracePlan& plan) { return RunTraced("sampler", what, plan); }

std::map<std::string, int> LaunchesByKernel(const ProcessTrace& trace) {
  std::map<std::string, int> launches;
  for (const TracedLaunch& launch : trace.launches) ++launches[trace.kernels[static_cast<std::size_t>(launch.kernel)]];
  return launches;
}

constexpr int kBlocks = (1 << 22) / 256;
const LaunchGeometry kAll{kBlocks, 1, 1, 256, 1, 1, 0}, kFew{8, 1, 1, 128, 1, 1, 0};

TracePlan PlanOf(const std::vector<std::pair<std::string, std::vector<std::int64_t>>>& kernels) {
  const Traced names = RunTraced("plain 1", {});
  TracePlan plan{.mode = TraceMode::kCount, .profile = "core"};
  for (const auto& [part, nth] : kernels)
    plan.kernels.push_back({SymbolWith(names.traces.at(0), part), part == "CountUp" ? kFew : kAll, nth, 5});
  return plan;
}

TEST(Inject, SeesEveryLaunchWithItsTimeItsCodeAndItsLine) {
  const Traced traced = RunTraced("plain 20", {});
  ASSERT_THAT(traced.traces, SizeIs(1));
  const ProcessTrace& t = traced.traces[0];
  EXPECT_TRUE(t.complete);
  EXPECT_THAT(t.warnings, IsEmpty());
  EXPECT_EQ(t.launches_seen, 80);
  EXPECT_THAT(t.launches, SizeIs(80));
  for (const auto& [kernel, launches] : LaunchesByKernel(t)) {
    EXPECT_EQ(launches, 20) << kernel;
  }
  ASSERT_TRUE(t.devices.contains(0));
  EXPECT_GT(t.devices.at(0).device.sm_count, 0);
  EXPECT_FALSE(t.toolchain.driver.empty());
  for (std::size_t i = 0; i < t.launches.size(); ++i) {
    const TracedLaunch& l = t.launches[i];
    EXPECT_GT(l.end_ns, l.start_ns);
    EXPECT_GE(l.start_ns, i > 0 ? t.launches[i - 1].end_ns : 0) << "one stream: one after the other";
  }
  ASSERT_THAT(t.builds, SizeIs(4));
  std::set<std::string> digests;
  for (const BuildRecord& build : t.builds) {
    EXPECT_TRUE(std::ranges::count(t.kernels, build.kernel) == 1) << build.kernel;
    EXPECT_THAT(t.places.at(build.kernel).file, HasSubstr("sampler.cu"));
    digests.insert(build.cubin_digest);
  }
  EXPECT_THAT(digests, SizeIs(4)) << "they differ";
  double copied = 0;
  for (const TracedCopy& copy : t.copies)
    if (copy.kind == CopyKind::kToHost) copied += static_cast<double>(copy.bytes);
  EXPECT_EQ(copied, 4.0 * (1 << 22) + 4);
}

TEST(Inject, CodeOfTwoExecutionsIsTheSame) {
  const auto digests = [] {
    std::map<std::string, std::string> by_symbol;
    const Traced traced = RunTraced("plain 1", {});
    for (const BuildRecord& build : traced.traces.at(0).builds) by_symbol[build.kernel] = build.cubin_digest;
    return by_symbol;
  };
  EXPECT_EQ(digests(), digests());
}

TEST(Inject, FollowsRanges) {
  const Traced all = RunTraced("ranges", {});
  std::set<std::string> ranges;
  for (const TracedLaunch& launch : all.traces.at(0).launches) {
    ASSERT_GE(launch.range, 0);
    ranges.insert(all.traces[0].ranges[static_cast<std::size_t>(launch.range)]);
  }
  EXPECT_THAT(ranges, SizeIs(20));
  EXPECT_TRUE(ranges.contains("step 3/scatter"));
}

const TracePlan kSampling{.mode = TraceMode::kSample, .profile = "lines", .kernels = {}, .sampling_period = 8};

TEST(Inject, SamplesTheInstructionsOfEveryKernel) {
  const Execution bare = RunSampler("plain 50");
  const Traced traced = RunTraced("plain 50", kSampling);
  EXPECT_EQ(traced.execution.output, bare.output);
  EXPECT_EQ(traced.execution.status, bare.status);
  ASSERT_THAT(traced.traces, SizeIs(1));
  const ProcessTrace& t = traced.traces[0];
  for (const Warning& warning : t.warnings) ADD_FAILURE() << warning.code << ": " << warning.text;
  EXPECT_TRUE(t.complete);
  std::set<std::string> about;
  std::int64_t samples = 0;
  for (const TracedSampling& sampled : t.sampled) {
    if (sampled.sampling.samples > 0) about.insert(sampled.about);
    samples += sampled.sampling.samples;
    std::printf("%s: %lld samples in %lld launches, %zu rows, %zu codes\n", sampled.about.c_str(),
                static_cast<long long>(sampled.sampling.samples), static_cast<long long>(sampled.sampling.launches),
                sampled.sampling.rows.size(), sampled.sampling.code.size());
    if (sampled.about.find("AddOne") != std::string::npos) {
      EXPECT_EQ(sampled.sampling.launches, 50);
      EXPECT_EQ(sampled.sampling.period_cycles, 256);
      ASSERT_THAT(sampled.sampling.code, SizeIs(1));
      EXPECT_FALSE(sampled.sampling.code[0].instructions.empty());
      bool has_line = false;
      for (const MachineInstruction& i : sampled.sampling.code[0].instructions)
        for (const SourceFrame& frame : i.frames)
          has_line = has_line || frame.file.find("sampler.cu") != std::string::npos;
      EXPECT_TRUE(has_line);
    }
  }
  EXPECT_GE(samples, 20'000);
  EXPECT_GE(about.size(), 3u) << "AddOne and two that scatter, at least";
}

class InjectSampledModes : public ::testing::TestWithParam<const char*> {};

TEST_P(InjectSampledModes, TheSampledProgramDoesWhatItDoesWithout) {
  const Execution bare = RunSampler(GetParam());
  const Traced traced = RunTraced(GetParam(), kSampling);
  EXPECT_EQ(traced.execution.output, bare.output);
  EXPECT_EQ(traced.execution.status, bare.status);
  for (const ProcessTrace& t : traced.traces) {
    std::printf("%s: %zu functions sampled\n", GetParam(), t.sampled.size());
    for (const Warning& warning : t.warnings) std::printf("  %s: %s\n", warning.code.c_str(), warning.text.c_str());
  }
}

INSTANTIATE_TEST_SUITE_P(Of, InjectSampledModes,
                         ::testing::Values("graph", "branches", "threads", "cooperative", "wait", "fork", "exec",
                                           "child", "_exit", "abort", "reset", "refused", "nvtx_first"));

// Of the library's own memory in a program, beside CUPTI's.
constexpr std::int64_t kMostBytes = 64'000'000;
// A GPU's counters have one reader, and a program may take its context away: that is told.
constexpr std::string_view kNotSampled = "counters_not_sampled";

struct Mode {
  const char* what;
  std::size_t traces, launches;
};
// The second one: whether counters are sampled meanwhile.
class InjectModes : public ::testing::TestWithParam<std::tuple<Mode, bool>> {};

TEST_P(InjectModes, TheProgramDoesWhatItDoesWithout) {
  const auto& [mode, samples_counters] = GetParam();
  const Execution bare = RunSampler(mode.what);
  const Traced traced = RunTraced(mode.what, {.samples_counters = samples_counters});
  EXPECT_EQ(traced.execution.output, bare.output);
  EXPECT_EQ(traced.execution.status, bare.status);
  EXPECT_THAT(traced.traces, SizeIs(mode.traces));
  std::size_t launches = 0;
  for (const ProcessTrace& t : traced.traces) {
    launches += t.launches.size();
    EXPECT_LT(t.peak_bytes, kMostBytes);
    for (const Warning& warning : t.warnings) {
      EXPECT_TRUE(samples_counters && warning.code == kNotSampled) << warning.code << ": " << warning.text;
      EXPECT_THAT(warning.text, ::testing::Not(HasSubstr("this GPU ()"))) << "CUPTI does not know the chip";
    }
  }
  EXPECT_EQ(launches, mode.launches);
}

std::string NameOf(const ::testing::TestParamInfo<std::tuple<Mode, bool>>& param) {
  const auto& [mode, samples_counters] = param.param;
  std::string name = mode.what;
  std::erase(name, ' ');
  return name + (samples_counters ? "Sampled" : "");
}

INSTANTIATE_TEST_SUITE_P(
    Of, InjectModes,
    ::testing::Combine(::testing::Values(Mode{"plain 20 5", 1, 80}, Mode{"graph", 1, 80}, Mode{"branches", 1, 120},
                                         Mode{"threads", 1, 400}, Mode{"cooperative", 1, 10}, Mode{"wait", 1, 11},
                                         Mode{"fork", 2, 40}, Mode{"exec", 1, 20}, Mode{"child", 2, 40},
                                         Mode{"_exit", 1, 80}, Mode{"copy_exit", 1, 80}, Mode{"abort", 1, 80},
                                         Mode{"kill", 1, 80}, Mode{"throw", 1, 80}, Mode{"reset", 1, 160},
                                         Mode{"none", 0, 0}, Mode{"device", 1, 0}, Mode{"context", 1, 0},
                                         Mode{"refused", 1, 20}, Mode{"nvtx_first", 1, 4}),
                       ::testing::Bool()),
    NameOf);

// All lists of counters, of many launches: what the library keeps grows with neither.
TEST(Inject, SamplesCountersInLittleMemory) {
  constexpr const char* kWhat = "plain 40000";
  const Traced traced = RunTraced(kWhat, {.samples_counters = true});
  EXPECT_EQ(traced.execution.output, RunSampler(kWhat).output);
  ASSERT_THAT(traced.traces, SizeIs(1));
  const ProcessTrace& t = traced.traces[0];
  for (const Warning& warning : t.warnings) ADD_FAILURE() << warning.code << ": " << warning.text;
  EXPECT_TRUE(t.complete);
  EXPECT_EQ(t.launches_seen, 4 * 40'000);
  ASSERT_THAT(t.devices, SizeIs(1));
  const std::size_t lists = CounterTurnsOn(t.devices.begin()->second.device.chip).size();
  if (lists == 0) GTEST_SKIP() << "this GPU samples no counters";
  std::set<std::string> sampled;
  for (const TracedCounters& turn : t.counters) {
    ASSERT_THAT(turn.metrics, ::testing::Not(IsEmpty()));
    sampled.insert(turn.metrics.back().id);
    if (turn.start_ns.size() < 2) continue;
    const auto records = static_cast<double>(turn.start_ns.size());
    std::printf("%zu counters: %.0f records, one in %.0f us\n", turn.metrics.size(), records,
                static_cast<double>(turn.start_ns.back() - turn.start_ns.front()) / 1000 / (records - 1));
  }
  EXPECT_GE(sampled.size(), std::min<std::size_t>(lists, 2));
  std::printf("%.1f MB\n", static_cast<double>(t.peak_bytes) / 1e6);
  EXPECT_GT(t.peak_bytes, 0);
  EXPECT_LT(t.peak_bytes, kMostBytes);
}

// Of a program with one process and no warning. None: a check failed, or this GPU samples no counters.
std::optional<ProcessTrace> SampledTrace(const std::string& what, TracePlan plan = {}) {
  plan.samples_counters = true;
  Traced traced = RunTraced(what, std::move(plan));
  EXPECT_EQ(traced.execution.output, RunSampler(what).output);
  EXPECT_THAT(traced.traces, SizeIs(1));
  if (traced.traces.size() != 1) return std::nullopt;
  ProcessTrace& t = traced.traces[0];
  for (const Warning& warning : t.warnings) ADD_FAILURE() << warning.code << ": " << warning.text;
  EXPECT_THAT(t.devices, SizeIs(1));
  if (t.devices.size() != 1 || CounterTurnsOn(t.devices.begin()->second.device.chip).empty()) return std::nullopt;
  return std::move(t);
}

// Seconds for which the GPU is idle after the first kernels: less than what pauses sampling, and more.
class InjectIdle : public ::testing::TestWithParam<int> {};

TEST_P(InjectIdle, UsesUpNothingOfTheFirstTurn) {
  const std::optional<ProcessTrace> sampled = SampledTrace("late 4000 " + std::to_string(GetParam()));
  if (!sampled) GTEST_SKIP() << "this GPU samples no counters";
  const ProcessTrace& t = *sampled;
  ASSERT_THAT(t.counters, ::testing::Not(IsEmpty()));
  const TracedCounters& first = t.counters.front();
  const auto warps = std::ranges::find(first.metrics, kWarpsCounter, &MetricDefinition::id) - first.metrics.begin();
  ASSERT_LT(static_cast<std::size_t>(warps), first.metrics.size());
  constexpr double kNsPerMs = 1e6;
  double kernels_ms = 0, busy_ms = 0, idle_ms = 0, longest_ms = 0;
  for (const TracedLaunch& launch : t.launches)
    kernels_ms += static_cast<double>(launch.end_ns - launch.start_ns) / kNsPerMs;
  for (std::size_t r = 0; r < first.start_ns.size(); ++r) {
    const double ms = static_cast<double>(first.end_ns[r] - first.start_ns[r]) / kNsPerMs;
    (first.values[r * first.metrics.size() + static_cast<std::size_t>(warps)] > 0 ? busy_ms : idle_ms) += ms;
    longest_ms = std::max(longest_ms, ms);
  }
  std::printf("of %.0f ms, kernels ran in %.0f ms of the first turn, and none in %.0f ms\n", kernels_ms, busy_ms,
              idle_ms);
  constexpr double kTurnMs = 300, kPauseMs = 3000;
  EXPECT_GT(busy_ms, 0.7 * std::min(kTurnMs, kernels_ms));
  EXPECT_LT(busy_ms, 1.1 * kernels_ms);
  EXPECT_LT(longest_ms, 10) << "no record covers a pause";
  EXPECT_LT(idle_ms, kPauseMs + 500) << "an idle GPU is hardly sampled for longer";
}

INSTANTIATE_TEST_SUITE_P(Seconds, InjectIdle, ::testing::Values(1, 6));

// How much of the kernels' time is within records of sampled counters.
double CountedShare(const ProcessTrace& t) {
  double counted_ns = 0, all_ns = 0;
  for (const TracedLaunch& launch : t.launches) {
    all_ns += static_cast<double>(launch.end_ns - launch.start_ns);
    for (const TracedCounters& turn : t.counters) {
      const auto first = std::ranges::upper_bound(turn.end_ns, launch.start_ns) - turn.end_ns.begin();
      for (auto r = static_cast<std::size_t>(first); r < turn.start_ns.size() && turn.start_ns[r] < launch.end_ns; ++r)
        counted_ns +=
            static_cast<double>(std::min(turn.end_ns[r], launch.end_ns) - std::max(turn.start_ns[r], launch.start_ns));
    }
  }
  return all_ns > 0 ? counted_ns / all_ns : 0;
}

struct Rested {
  const char* what;
  const char* capture;  // empty: the whole program
  double least;         // CountedShare
};
class InjectRested : public ::testing::TestWithParam<Rested> {};

// Where the GPU is idle, sampling rests. A launch ends the rest at once. Sampling finds kernels that begin later within a second.
TEST_P(InjectRested, CountsWhatComesAfterARest) {
  TracePlan plan;
  if (*GetParam().capture != '\0') plan.capture = ParseCapture(GetParam().capture);
  const std::optional<ProcessTrace> sampled = SampledTrace(GetParam().what, plan);
  if (!sampled) GTEST_SKIP() << "this GPU samples no counters";
  const double share = CountedShare(*sampled);
  std::printf("%s: %.1f %% of the kernels' time is within records\n", GetParam().what, 100 * share);
  EXPECT_GT(share, GetParam().least);
}

INSTANTIATE_TEST_SUITE_P(Of, InjectRested,
                         ::testing::Values(Rested{"bursts 3 5", "", 0.9}, Rested{"queued 10 6", "", 0.35},
                                           Rested{"windows 4 4", "profiler-api", 0.7}));

TEST(Inject, SparseKernelsReachTheTurnOfEachList) {
  const std::optional<ProcessTrace> sampled = SampledTrace("sparse 800");
  if (!sampled) GTEST_SKIP() << "this GPU samples no counters";
  std::set<std::string> lists;
  for (const TracedCounters& turn : sampled->counters)
    if (!turn.start_ns.empty()) lists.insert(turn.metrics.back().id);
  EXPECT_EQ(lists.size(), CounterTurnsOn(sampled->devices.begin()->second.device.chip).size());
}

class InjectCountedModes : public ::testing::TestWithParam<const char*> {};

// Whatever of it can be counted.
TEST_P(InjectCountedModes, TheCountedProgramDoesWhatItDoesWithout) {
  const Execution bare = RunSampler(GetParam());
  const Traced traced = RunTraced(GetParam(), PlanOf({{"AddOne", {0, 3}}, {"CountUp", {1}}}));
  EXPECT_EQ(traced.execution.output, bare.output);
  EXPECT_EQ(traced.execution.status, bare.status);
  for (const ProcessTrace& t : traced.traces)
    for (const CountedLaunch& launch : t.counted) {
      EXPECT_NE(launch.readings.empty(), launch.not_counted.empty());
    }
}

INSTANTIATE_TEST_SUITE_P(Of, InjectCountedModes,
                         ::testing::Values("device", "context", "branches", "cooperative", "graph", "fork", "exec",
                                           "child", "_exit", "abort", "reset", "refused", "gpus", "nvtx_first",
                                           "ranges"));

// CUDA itself crashes when a thread launches while it is taken down: what counts is that the program still ends.
TEST(Inject, DoesNotKeepAProgramWhoseThreadsLaunchFromEnding) {
  const TracePlan plan = PlanOf({{"CountUp", {1}}});
  EXPECT_EQ(RunTraced("leave", plan).execution.output, RunSampler("leave").output);
  EXPECT_EQ(RunTraced("leave", {}).execution.output, RunSampler("leave").output);
  EXPECT_EQ(RunTraced("leave", {.samples_counters = true}).execution.output, RunSampler("leave").output);
}

TEST(Inject, ARefusedLaunchIsNone) {
  const TracePlan plan = PlanOf({{"AddOne", {0, 4}}});
  const Traced traced = RunTraced("refused", plan);
  ASSERT_THAT(traced.traces.at(0).counted, SizeIs(2));
  for (const CountedLaunch& launch : traced.traces[0].counted) {
    EXPECT_THAT(launch.not_counted, IsEmpty());
  }
}

TEST(Inject, WhatIsForkedBetweenNvtxAndCudaGoesOn) {
  EXPECT_EQ(RunTraced("nvtx_fork", {}).execution.output, RunSampler("nvtx_fork").output);
}

TEST(Inject, ExactCountsAreOfTheFirstPlannedLaunch) {
  TracePlan plan = PlanOf({{"ScatterILi33", {2}}});
  plan.mode = TraceMode::kExact;
  const Traced traced = RunTraced("plain 5", plan);
  EXPECT_EQ(traced.execution.output, RunSampler("plain 5").output);
  ASSERT_THAT(traced.traces.at(0).counted, SizeIs(1));
  const CountedLaunch& launch = traced.traces[0].counted[0];
  EXPECT_EQ(launch.nth, 2);
  EXPECT_THAT(launch.not_counted, IsEmpty());
  // One load and one store of 4 bytes by each thread.
  EXPECT_EQ(ValueOf(launch, "sass_memory_32b_inst"), 2.0 * kBlocks * 8);
  double accesses = 0;
  for (const InstructionRecord& i : launch.instructions) {
    EXPECT_THAT(i.source_file, HasSubstr("sampler.cu"));
    if (i.opcode == "LDG" || i.opcode == "STG") accesses += i.counts.at("sass_inst");
  }
  EXPECT_EQ(accesses, 2.0 * kBlocks * 8);
}

TEST(Inject, SaysThatAProcessEndedWithoutTelling) {
  EXPECT_FALSE(RunTraced("kill", {}).traces.at(0).complete);
  EXPECT_TRUE(RunTraced("plain", {}).traces.at(0).complete);
}

TEST(Inject, CountsThePlannedLaunchesAndLeavesTheResultAlone) {
  const TracePlan plan = PlanOf({{"AddOne", {1, 3}}, {"ScatterILi33", {0}}, {"CountUp", {19}}});
  const Traced traced = RunTraced("plain 20", plan);
  EXPECT_EQ(traced.execution.output, RunSampler("plain 20").output);
  ASSERT_THAT(traced.traces, SizeIs(1));
  ASSERT_THAT(traced.traces[0].counted, SizeIs(4));
  std::map<std::string, std::vector<double>> instructions;
  for (const CountedLaunch& launch : traced.traces[0].counted) {
    EXPECT_THAT(launch.not_counted, IsEmpty());
    EXPECT_GT(ValueOf(launch, "counted_time_ns"), 0);
    instructions[traced.traces[0].kernels[static_cast<std::size_t>(launch.kernel)]].push_back(
        ValueOf(launch, "inst_executed"));
  }
  const std::vector<double>& add = instructions[plan.kernels[0].symbol];
  ASSERT_THAT(add, SizeIs(2));
  EXPECT_EQ(add[0], add[1]);
  // Each of its warps executes the same instructions.
  EXPECT_EQ(static_cast<std::int64_t>(add[0]) % (kBlocks * 8), 0);
  EXPECT_GT(add[0], 0);
}

TEST(Inject, CountsWithThreadsThatLaunchBesides) {
  const TracePlan plan = PlanOf({{"AddOne", {5, 50, 90}}, {"ScatterILi33", {7, 60}}});
  const Traced traced = RunTraced("threads", plan);
  EXPECT_EQ(traced.execution.output, RunSampler("threads").output);
  ASSERT_THAT(traced.traces.at(0).counted, SizeIs(5));
  std::map<int, std::set<double>> instructions;
  for (const CountedLaunch& launch : traced.traces[0].counted) {
    EXPECT_THAT(launch.not_counted, IsEmpty());
    instructions[launch.kernel].insert(ValueOf(launch, "inst_executed"));
  }
  for (const auto& [kernel, counts] : instructions) {
    EXPECT_THAT(counts, SizeIs(1)) << "only this kernel's";
  }
}

TEST(Inject, EndsAKernelThatCannotBeReplayedWithinItsTimeAndNamesIt) {
  const Traced names = RunTraced("wait", {});
  TracePlan plan = PlanOf({{"AddOne", {0}}});
  plan.kernels.push_back({SymbolWith(names.traces.at(0), "WaitForHost"), {1, 1, 1, 1, 1, 1, 0}, {1}, 2});
  const Traced traced = RunTraced("wait", plan);
  EXPECT_EQ(traced.execution.status, 113);
  ASSERT_THAT(traced.traces.at(0).counted, SizeIs(2));
  EXPECT_THAT(traced.traces[0].counted[0].not_counted, IsEmpty());
  EXPECT_THAT(traced.traces[0].counted[1].not_counted, HasSubstr("did not end within 2 s"));
  EXPECT_FALSE(traced.traces[0].complete);
}

// Of launches that the CPU made long before the GPU came to them, too.
TEST(Inject, RecordsWhatWasLaunchedBetweenCallsOfTheProfilerApi) {
  const Traced traced = RunTraced("profiled", {.capture = ParseCapture("profiler-api")});
  EXPECT_EQ(traced.execution.output, RunSampler("profiled").output);
  const ProcessTrace& t = traced.traces.at(0);
  EXPECT_TRUE(t.complete);
  EXPECT_THAT(t.warnings, IsEmpty());
  EXPECT_THAT(t.windows, SizeIs(1));
  EXPECT_EQ(t.launches_seen, 3 * 4);
  EXPECT_EQ(std::ranges::count_if(t.launches, [](const TracedLaunch& l) { return !l.from_graph; }), 3 * 4);
  EXPECT_EQ(std::ranges::count_if(t.launches, [](const TracedLaunch& l) { return l.from_graph; }), 4 * 4);
  EXPECT_THAT(t.copies, IsEmpty()) << "they began before and after";
}

TEST(Inject, RecordsWhatWasLaunchedInARange) {
  const Traced traced = RunTraced("ranges", {.capture = ParseCapture("nvtx:scatter")});
  EXPECT_EQ(traced.execution.output, RunSampler("ranges").output);
  const ProcessTrace& t = traced.traces.at(0);
  EXPECT_THAT(t.warnings, IsEmpty());
  EXPECT_THAT(t.windows, SizeIs(10));
  EXPECT_THAT(t.launches, SizeIs(10));
  for (const TracedLaunch& launch : t.launches) {
    EXPECT_THAT(t.kernels[static_cast<std::size_t>(launch.kernel)], HasSubstr("Scatter"));
    ASSERT_GE(launch.range, 0);
    EXPECT_THAT(t.ranges[static_cast<std::size_t>(launch.range)], ::testing::EndsWith("/scatter"));
  }
}

TEST(Inject, RecordsAServerForATime) {
  const Traced traced = RunTraced("serve 6", {.capture = ParseCapture("delay:3,duration:1")});
  EXPECT_EQ(traced.execution.output, "serving\nserved\n");
  const ProcessTrace& t = traced.traces.at(0);
  EXPECT_TRUE(t.complete);
  EXPECT_THAT(t.warnings, IsEmpty());
  ASSERT_THAT(t.windows, SizeIs(1));
  constexpr double kNsPerS = 1e9;
  EXPECT_NEAR(static_cast<double>(t.windows[0].close_ns - t.windows[0].open_ns), kNsPerS, 0.2 * kNsPerS);
  EXPECT_GT(t.launches.size(), 100u) << "the graph was made before the window";
  for (const TracedLaunch& launch : t.launches) {
    EXPECT_TRUE(launch.from_graph);
    EXPECT_GE(launch.start_ns, t.windows[0].open_ns);
    EXPECT_LE(launch.start_ns, t.windows[0].close_ns + 1'000'000);
  }
}

TEST(Inject, CountsLaunchesWithinTheWindowAlone) {
  TracePlan plan = PlanOf({{"AddOne", {0}}, {"ScatterILi33", {0, 9}}});
  plan.capture = ParseCapture("nvtx:scatter");
  const Traced traced = RunTraced("ranges", plan);
  EXPECT_EQ(traced.execution.output, RunSampler("ranges").output);
  ASSERT_THAT(traced.traces.at(0).counted, SizeIs(2));
  for (const CountedLaunch& launch : traced.traces[0].counted) {
    EXPECT_THAT(launch.not_counted, IsEmpty());
    EXPECT_GT(ValueOf(launch, "inst_executed"), 0);
  }
}

TEST(Inject, LeavesTheProgramAloneWhenAllWasCounted) {
  TracePlan plan = PlanOf({{"ScatterILi33", {0, 1}}});
  plan.ends_when_counted = true;
  const Traced traced = RunTraced("ranges", plan);
  EXPECT_EQ(traced.execution.output, RunSampler("ranges").output);
  const ProcessTrace& t = traced.traces.at(0);
  EXPECT_TRUE(t.complete);
  EXPECT_THAT(t.warnings, IsEmpty());
  ASSERT_THAT(t.counted, SizeIs(2));
  for (const CountedLaunch& launch : t.counted) EXPECT_GT(ValueOf(launch, "inst_executed"), 0);
}

TEST(Inject, SaysThatAllWasCountedWhileTheProgramRuns) {
  TracePlan plan = PlanOf({{"AddOne", {0}}});
  const Traced whole = RunTraced("serve 3", plan);
  plan.ends_when_counted = true;
  const Traced ended = RunTraced("serve 3", plan);
  for (const Traced* traced : {&whole, &ended}) {
    EXPECT_EQ(traced->execution.output, "serving\nserved\n");
    ASSERT_THAT(traced->traces, SizeIs(1));
    ASSERT_THAT(traced->traces[0].counted, SizeIs(1));
    EXPECT_GT(ValueOf(traced->traces[0].counted[0], "inst_executed"), 0);
  }
  EXPECT_TRUE(ended.has_captured);
  EXPECT_FALSE(whole.has_captured);
}

TEST(Inject, SamplesInstructionsWithinTheWindowAlone) {
  TracePlan plan = kSampling;
  plan.capture = ParseCapture("profiler-api");
  const Traced traced = RunTraced("profiled", plan);
  EXPECT_EQ(traced.execution.output, RunSampler("profiled").output);
  const ProcessTrace& t = traced.traces.at(0);
  for (const Warning& warning : t.warnings) ADD_FAILURE() << warning.code << ": " << warning.text;
  bool any = false;
  for (const TracedSampling& sampled : t.sampled)
    if (sampled.about.find("AddOne") != std::string::npos) {
      any = true;
      EXPECT_EQ(sampled.sampling.launches, 3) << "outside of graphs";
    }
  EXPECT_TRUE(any);
}

TEST(Inject, LeavesAProcessOfAnotherRankAlone) {
  EXPECT_THAT(RunTraced("plain 2", {.ranks = {1}}).traces, IsEmpty());
  EXPECT_THAT(RunTraced("plain 2", {}).traces, SizeIs(1));
}

TEST(Inject, WithoutAPlanTheProgramGoesOn) {
  const Scratch scratch;
  const std::string environment = "CUDA_INJECTION64_PATH='" + InjectedLibrary() + "' " + kTraceFolderVariable + "='" +
                                  (scratch / "missing").string() + "'";
  EXPECT_EQ(RunSampler("plain 2", environment).output, RunSampler("plain 2").output);
  EXPECT_EQ(RunSampler("plain 2", "CUDA_INJECTION64_PATH='" + InjectedLibrary() + "'").output,
            RunSampler("plain 2").output);
}

}  // namespace
}  // namespace culprit
