// SPDX-License-Identifier: Apache-2.0
#include "profiler/inject/capture_window.h"

#include <gtest/gtest.h>

namespace culprit {
namespace {

using Clock = CaptureWindow::Clock;
using std::chrono::milliseconds;

const Clock::time_point kBegan = Clock::time_point() + std::chrono::hours(1);

TEST(CaptureWindow, WithoutACaptureIsOpenUntilItIsStopped) {
  CaptureWindow window({}, kBegan);
  EXPECT_TRUE(window.IsOpen());
  EXPECT_EQ(window.OnTime(kBegan + std::chrono::hours(100)), WindowTurn::kNone);
  EXPECT_EQ(window.OnRange("step", false), WindowTurn::kNone);
  EXPECT_EQ(window.OnProfiler(false), WindowTurn::kNone);
  EXPECT_TRUE(window.IsOpen());
  EXPECT_EQ(window.Stop(), WindowTurn::kCloses);
  EXPECT_FALSE(window.IsOpen());
  EXPECT_TRUE(window.IsOver());
}

TEST(CaptureWindow, OpensAfterTheDelayAndClosesAfterTheDuration) {
  CaptureWindow window(ParseCapture("delay:2,duration:0.5"), kBegan);
  EXPECT_FALSE(window.IsOpen());
  EXPECT_EQ(window.OnTime(kBegan + milliseconds(1999)), WindowTurn::kNone);
  EXPECT_EQ(window.OnTime(kBegan + milliseconds(2000)), WindowTurn::kOpens);
  EXPECT_TRUE(window.IsOpen());
  EXPECT_EQ(window.OnTime(kBegan + milliseconds(2499)), WindowTurn::kNone);
  EXPECT_FALSE(window.IsOver());
  EXPECT_EQ(window.OnTime(kBegan + milliseconds(2500)), WindowTurn::kCloses);
  EXPECT_TRUE(window.IsOver());
  EXPECT_EQ(window.OnTime(kBegan + milliseconds(2600)), WindowTurn::kNone);
}

TEST(CaptureWindow, WithoutADelayIsOpenAtOnceAndWithoutADurationDoesNotClose) {
  EXPECT_TRUE(CaptureWindow(ParseCapture("duration:1"), kBegan).IsOpen());
  CaptureWindow window(ParseCapture("delay:1"), kBegan);
  EXPECT_EQ(window.OnTime(kBegan + milliseconds(1000)), WindowTurn::kOpens);
  EXPECT_EQ(window.OnTime(kBegan + std::chrono::hours(1000)), WindowTurn::kNone);
  EXPECT_TRUE(window.IsOpen());
}

TEST(CaptureWindow, OfAProcessThatBeginsAfterItNeverOpens) {
  CaptureWindow window(ParseCapture("delay:1,duration:1"), kBegan);
  EXPECT_EQ(window.OnTime(kBegan + milliseconds(5000)), WindowTurn::kNone);
  EXPECT_FALSE(window.IsOpen());
  EXPECT_TRUE(window.IsOver());
}

TEST(CaptureWindow, IsOpenWhileAnyThreadIsInTheRange) {
  CaptureWindow window(ParseCapture("nvtx:decode"), kBegan);
  EXPECT_FALSE(window.IsOpen());
  EXPECT_EQ(window.OnRange("prefill", true), WindowTurn::kNone);
  EXPECT_EQ(window.OnRange("decode 7", true), WindowTurn::kOpens);
  EXPECT_EQ(window.OnRange("decode", true), WindowTurn::kNone) << "of another thread, or within";
  EXPECT_EQ(window.OnRange("decode 7", false), WindowTurn::kNone);
  EXPECT_EQ(window.OnRange("prefill", false), WindowTurn::kNone);
  EXPECT_TRUE(window.IsOpen());
  EXPECT_EQ(window.OnRange("decode", false), WindowTurn::kCloses);
  EXPECT_FALSE(window.IsOver()) << "the range may come again";
  EXPECT_EQ(window.OnRange("decode", true), WindowTurn::kOpens);
}

TEST(CaptureWindow, AnEndWithoutABeginningOfARangeChangesNothing) {
  CaptureWindow window(ParseCapture("nvtx:decode"), kBegan);
  EXPECT_EQ(window.OnRange("decode", false), WindowTurn::kNone);
  EXPECT_EQ(window.OnRange("decode", true), WindowTurn::kOpens);
}

TEST(CaptureWindow, FollowsTheProfilerApiWhichDoesNotNest) {
  CaptureWindow window(ParseCapture("profiler-api"), kBegan);
  EXPECT_FALSE(window.IsOpen());
  EXPECT_EQ(window.OnProfiler(true), WindowTurn::kOpens);
  EXPECT_EQ(window.OnProfiler(true), WindowTurn::kNone);
  EXPECT_EQ(window.OnProfiler(false), WindowTurn::kCloses);
  EXPECT_EQ(window.OnProfiler(true), WindowTurn::kOpens);
}

TEST(CaptureWindow, DoesNotOpenAfterItWasStopped) {
  CaptureWindow window(ParseCapture("profiler-api"), kBegan);
  EXPECT_EQ(window.Stop(), WindowTurn::kNone);
  EXPECT_EQ(window.OnProfiler(true), WindowTurn::kNone);
  EXPECT_FALSE(window.IsOpen());
}

}  // namespace
}  // namespace culprit
