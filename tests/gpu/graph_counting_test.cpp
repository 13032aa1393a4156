// SPDX-License-Identifier: Apache-2.0
// How libculprit_inject.so counts kernels that a program (programs/graphs.cu) launches by CUDA graphs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/gpu/traced_program.h"

namespace culprit {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr double kWarps = (1 << 20) / 32;

// Each kernel by a part of its name, and which of its launches are counted. Leaves out kernels that the program has not.
TracePlan PlanOf(const std::string& way,
                 const std::vector<std::pair<std::string, std::vector<std::int64_t>>>& kernels) {
  const Traced traced = RunTraced("graphs", way, {});
  const ProcessTrace& timed = traced.traces.at(0);
  TracePlan plan{.mode = TraceMode::kCount, .profile = "core"};
  for (const auto& [part, nth] : kernels) {
    const std::string symbol = SymbolWith(timed, part);
    const auto launch = std::ranges::find_if(timed.launches, [&](const TracedLaunch& l) {
      return timed.kernels[static_cast<std::size_t>(l.kernel)] == symbol;
    });
    if (launch != timed.launches.end()) plan.kernels.push_back({symbol, launch->geometry, nth, 20});
  }
  return plan;
}

std::size_t LaunchesOf(const TracePlan& plan) {
  std::size_t launches = 0;
  for (const PlannedKernel& kernel : plan.kernels) launches += kernel.nth.size();
  return launches;
}

const CountedLaunch& The(const Traced& traced, const std::string& part, std::int64_t nth) {
  static const CountedLaunch none{};
  const ProcessTrace& trace = traced.traces.at(0);
  const auto found = std::ranges::find_if(trace.counted, [&](const CountedLaunch& l) {
    return l.nth == nth && trace.kernels[static_cast<std::size_t>(l.kernel)].find(part) != std::string::npos;
  });
  EXPECT_NE(found, trace.counted.end()) << part << " " << nth;
  return found == trace.counted.end() ? none : *found;
}

class GraphWays : public ::testing::TestWithParam<const char*> {};

TEST_P(GraphWays, KernelsAreCountedAndTheProgramDoesWhatItDoesWithout) {
  const TracePlan plan = PlanOf(GetParam(), {{"5First", {0, 3}},
                                             {"6Second", {0, 1}},
                                             {"5Third", {2}},
                                             {"8Together", {0, 9}},
                                             {"9Clustered", {1, 2}},
                                             {"9Dependent", {0, 5}}});
  ASSERT_FALSE(plan.kernels.empty());
  const Execution bare = RunProgram("graphs", GetParam());
  const Traced traced = RunTraced("graphs", GetParam(), plan);
  EXPECT_EQ(bare.status, 0);
  EXPECT_EQ(traced.execution.status, 0);
  EXPECT_EQ(traced.execution.output, bare.output);
  ASSERT_THAT(traced.traces, SizeIs(1));
  EXPECT_THAT(traced.traces[0].counted, SizeIs(LaunchesOf(plan)));
  for (const CountedLaunch& launch : traced.traces[0].counted) {
    EXPECT_THAT(launch.not_counted, IsEmpty());
    EXPECT_GT(ValueOf(launch, "inst_executed"), 0);
  }
  for (const Warning& warning : traced.traces[0].warnings) ADD_FAILURE() << warning.code << ": " << warning.text;
}

INSTANTIATE_TEST_SUITE_P(Of, GraphWays,
                         ::testing::Values("mixed", "many", "updated", "replaced", "child", "child_updated", "host",
                                           "forked", "attributes", "dependent", "waiting", "streams", "long"),
                         [](const auto& way) { return std::string(way.param); });

void ExpectEqualCounts(const Traced& graph, const Traced& stream, const std::string& kernel) {
  for (const char* const id :
       {"inst_executed", "thread_inst_executed", "global_load_requests", "global_store_sectors", "shared_load_inst"}) {
    const double counted = ValueOf(The(graph, kernel, 0), id);
    EXPECT_GE(counted, 0) << kernel << " " << id;
    EXPECT_EQ(counted, ValueOf(The(stream, kernel, 0), id)) << kernel << " " << id;
  }
}

TEST(GraphCounting, CountsWhatTheSameKernelsHaveInAStream) {
  const auto counted = [](const std::string& way) {
    return RunTraced("graphs", way, PlanOf(way, {{"5First", {0}}, {"6Second", {0}}, {"5Third", {0}}}));
  };
  const Traced graph = counted("mixed"), stream = counted("stream");
  for (const char* const kernel : {"5First", "6Second", "5Third"}) ExpectEqualCounts(graph, stream, kernel);
}

TEST(GraphCounting, LaunchesCooperativeKernelsAndClustersAsTheGraphDoes) {
  const auto counted = [](const std::string& way) {
    return RunTraced("graphs", way, PlanOf(way, {{"8Together", {0}}, {"9Clustered", {0}}}));
  };
  const Traced graph = counted("attributes"), stream = counted("attributes_stream");
  // How long its blocks wait for each other, and so its instructions, vary.
  EXPECT_EQ(ValueOf(The(graph, "8Together", 0), "global_store_sectors"),
            ValueOf(The(stream, "8Together", 0), "global_store_sectors"));
  ExpectEqualCounts(graph, stream, "9Clustered");
}

// Every second launch, the kernel works on half of the data, and another node launches it, too.
TEST(GraphCounting, FollowsUpdatesOfNodes) {
  const Traced traced = RunTraced("graphs", "updated", PlanOf("updated", {{"5First", {0, 1, 2, 3}}}));
  const auto stores = [&](std::int64_t nth) {
    return ValueOf(The(traced, "5First", nth), "global_store_requests") / kWarps;
  };
  EXPECT_EQ(stores(0), 1);
  EXPECT_EQ(stores(1), 0.5);
  EXPECT_EQ(stores(2), 1);
  EXPECT_EQ(stores(3), 1);
}

TEST(GraphCounting, ExactCountsAreOfThePlannedLaunch) {
  TracePlan plan = PlanOf("mixed", {{"5First", {1}}});
  plan.mode = TraceMode::kExact;
  const Traced traced = RunTraced("graphs", "mixed", plan);
  EXPECT_EQ(traced.execution.output, RunProgram("graphs", "mixed").output);
  EXPECT_EQ(ValueOf(The(traced, "5First", 1), "sass_memory_32b_inst"), 2 * kWarps);
}

class GraphCaptures : public ::testing::TestWithParam<const char*> {};

// CUPTI's replay would break the capture.
TEST_P(GraphCaptures, NothingIsCountedMeanwhile) {
  const TracePlan plan = PlanOf(GetParam(), {{"5First", {0, 3, 12}}, {"9Dependent", {1}}});
  const Execution bare = RunProgram("graphs", GetParam());
  const Traced traced = RunTraced("graphs", GetParam(), plan);
  EXPECT_EQ(bare.status, 0);
  EXPECT_EQ(traced.execution.status, 0);
  EXPECT_EQ(traced.execution.output, bare.output);
  EXPECT_GT(ValueOf(The(traced, "5First", 0), "inst_executed"), 0);
  EXPECT_THAT(The(traced, "5First", 3).not_counted, HasSubstr("captured"));
  EXPECT_THAT(The(traced, "9Dependent", 1).not_counted, HasSubstr("captured"));
  EXPECT_GT(ValueOf(The(traced, "5First", 12), "inst_executed"), 0);
}

INSTANTIATE_TEST_SUITE_P(Of, GraphCaptures, ::testing::Values("captures", "captures_locally"));

TEST(GraphCounting, EndsAKernelThatWaitsForTheHostAndNamesIt) {
  TracePlan plan = PlanOf("waiting", {{"11WaitForHost", {1}}});
  plan.kernels.at(0).limit_s = 2;
  const Traced traced = RunTraced("graphs", "waiting", plan);
  EXPECT_EQ(traced.execution.status, 113);
  EXPECT_THAT(The(traced, "11WaitForHost", 1).not_counted, HasSubstr("did not end within 2 s"));
}

struct Refusal {
  const char *way, *why;
};
class GraphRefusals : public ::testing::TestWithParam<Refusal> {};

TEST_P(GraphRefusals, SayWhy) {
  const Refusal refusal = GetParam();
  const TracePlan plan = PlanOf(refusal.way, {{"5First", {0, 1}}});
  const Traced traced = RunTraced("graphs", refusal.way, plan);
  EXPECT_EQ(traced.execution.output, RunProgram("graphs", refusal.way).output);
  ASSERT_THAT(traced.traces.at(0).counted, SizeIs(2));
  for (const CountedLaunch& launch : traced.traces[0].counted) {
    EXPECT_THAT(launch.readings, IsEmpty());
    EXPECT_THAT(launch.not_counted, AllOf(HasSubstr("CUDA graph"), HasSubstr(refusal.why)));
  }
}

INSTANTIATE_TEST_SUITE_P(Of, GraphRefusals,
                         ::testing::Values(Refusal{"conditional", "a conditional node"},
                                           Refusal{"allocation", "a node that allocates memory"},
                                           Refusal{"switched_off", "cuGraphNodeSetEnabled"}),
                         [](const auto& refusal) { return std::string(refusal.param.way); });

}  // namespace
}  // namespace culprit
