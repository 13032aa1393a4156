// SPDX-License-Identifier: Apache-2.0
#include "profiler/inject/launch_places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace culprit {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

struct FakeStack : PythonStack {
  explicit FakeStack(int& reads) : reads_(reads) {}
  std::vector<PythonFrame> Frames() const override {
    ++reads_;
    return frames;
  }
  static inline thread_local std::vector<PythonFrame> frames;

 private:
  int& reads_;
};

class Places : public testing::Test {
 protected:
  Places() { FakeStack::frames = {{"train.py", 42, "step"}}; }

  std::vector<PythonFrame> Of(const char* symbol, unsigned grid = 1, const char* path = "") {
    LaunchGeometry geometry;
    geometry.grid_x = grid;
    return places_.OfFirst(symbol, geometry, path);
  }

  static constexpr char kKernel[] = "kernel", kOther[] = "other";
  int reads_ = 0;
  LaunchPlaces places_{std::make_unique<FakeStack>(reads_)};
};

TEST_F(Places, AreReadOnceForLaunchesThatAreAlike) {
  EXPECT_THAT(Of(kKernel), SizeIs(1));
  EXPECT_THAT(Of(kKernel), IsEmpty());
  EXPECT_EQ(reads_, 1);
  EXPECT_THAT(Of(kKernel, 2), SizeIs(1));
  EXPECT_THAT(Of(kOther), SizeIs(1));
  EXPECT_THAT(Of(kKernel, 1, "step 1/forward"), SizeIs(1));
  EXPECT_THAT(Of(kKernel, 1, "step 27/forward"), IsEmpty()) << "numbers do not count";
  EXPECT_THAT(Of(kKernel, 1, "step /forward"), SizeIs(1));
  EXPECT_EQ(reads_, 5);
}

TEST_F(Places, AThreadWithoutPythonLeavesThemToAnother) {
  FakeStack::frames.clear();
  EXPECT_THAT(Of(kKernel), IsEmpty());
  EXPECT_THAT(Of(kKernel), IsEmpty());
  EXPECT_EQ(reads_, 1) << "tried once";
  std::thread([this] {
    FakeStack::frames = {{"train.py", 42, "step"}};
    EXPECT_THAT(Of(kKernel), SizeIs(1));
  }).join();
  std::thread([this] { EXPECT_THAT(Of(kKernel), IsEmpty()) << "it is known"; }).join();
  EXPECT_EQ(reads_, 2);
}

TEST_F(Places, ManyLaunchesPushEachOtherOutOfMindAndAreKnownNevertheless) {
  constexpr unsigned kMany = 5000;
  for (unsigned grid = 1; grid <= kMany; ++grid) EXPECT_THAT(Of(kKernel, grid), SizeIs(1)) << grid;
  for (unsigned grid = 1; grid <= kMany; ++grid) EXPECT_THAT(Of(kKernel, grid), IsEmpty()) << grid;
  EXPECT_EQ(reads_, static_cast<int>(kMany));
}

TEST_F(Places, NothingIsReadWithoutPythonOrName) {
  EXPECT_THAT(Of(nullptr), IsEmpty());
  EXPECT_EQ(reads_, 0);
  EXPECT_THAT(LaunchPlaces(nullptr).OfFirst(kKernel, {}, ""), IsEmpty());
}

}  // namespace
}  // namespace culprit
