// SPDX-License-Identifier: Apache-2.0
#include "bench/program/windows.h"

#include <gtest/gtest.h>

#include <utility>

#include "bench/program/timed_program.h"

namespace culprit {
namespace {

// Windows whose work ran while they were open.
ProcessTrace TraceWith(const std::vector<std::pair<std::int64_t, std::int64_t>>& windows) {
  ProcessTrace trace;
  for (const auto& [open_ns, close_ns] : windows) trace.windows.push_back({open_ns, close_ns, open_ns, close_ns});
  return trace;
}

TEST(Windows, AreNoneWithoutACapture) {
  const Windows windows(std::vector<ProcessTrace>(2));
  EXPECT_FALSE(windows.WallUs());
  EXPECT_EQ(windows.Of(5), 0);
  EXPECT_EQ(windows.ClosedUs(0, 1'000'000), 0);
}

TEST(Windows, OfProcessesThatOverlapAreOne) {
  const std::vector<ProcessTrace> traces = {TraceWith({{1000, 5000}, {9000, 10'000}}), TraceWith({{2000, 6000}})};
  const Windows windows(traces);
  EXPECT_EQ(windows.size(), 2);
  EXPECT_DOUBLE_EQ(*windows.WallUs(), 6);
  EXPECT_EQ(windows.Of(500), 0);
  EXPECT_EQ(windows.Of(8999), 0);
  EXPECT_EQ(windows.Of(9000), 1);
  EXPECT_DOUBLE_EQ(windows.ClosedUs(0, 20'000), 3);
  EXPECT_DOUBLE_EQ(windows.ClosedUs(7000, 8500), 1.5);
}

TEST(Windows, TheTimeBetweenThemIsNotIdle) {
  ProcessTrace trace = TraceWith({{1000, 4000}, {11'000, 15'000}});
  trace.complete = true;
  trace.kernels = {"k"};
  for (const auto& [start_ns, end_ns] : {std::pair(1000, 2000), {3000, 5000}, {12'000, 14'000}}) {
    TracedLaunch& launch = trace.launches.emplace_back();
    launch.start_ns = start_ns, launch.end_ns = end_ns;
  }
  const TimedProgram timed = ReadTimed(std::vector{trace});
  EXPECT_DOUBLE_EQ(*timed.program.wall_us, 7);
  EXPECT_DOUBLE_EQ(*timed.program.span_us, 4 + 2);
  EXPECT_DOUBLE_EQ(*timed.program.idle_us, 1) << "between the launches of the first window";
  EXPECT_DOUBLE_EQ(timed.classes.at(0).share_us, 5);
}

// A program that does not wait for the GPU has left all windows before the GPU comes to the first launch.
TEST(Windows, WorkBelongsToTheWindowInWhichItWasLaunched) {
  ProcessTrace trace;
  trace.kernels = {"k"};
  trace.windows = {{1000, 1100, 5000, 7000}, {1200, 1300, 9000, 9500}};
  for (const auto& [start_ns, end_ns] : {std::pair(5000, 6000), {6500, 7000}, {9000, 9500}}) {
    TracedLaunch& launch = trace.launches.emplace_back();
    launch.start_ns = start_ns, launch.end_ns = end_ns;
  }
  const TimedProgram timed = ReadTimed(std::vector{trace});
  EXPECT_DOUBLE_EQ(*timed.program.wall_us, 0.2) << "of the CPU";
  EXPECT_DOUBLE_EQ(*timed.program.span_us, 2 + 0.5);
  EXPECT_DOUBLE_EQ(*timed.program.idle_us, 0.5) << "what ran between the windows is not known";
}

}  // namespace
}  // namespace culprit
