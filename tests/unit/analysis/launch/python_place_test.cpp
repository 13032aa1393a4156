// SPDX-License-Identifier: Apache-2.0
#include "analysis/launch/python_place.h"

#include <gtest/gtest.h>

#include <string>

namespace culprit {
namespace {

KernelRecord At(const std::string& file, int line, const std::string& function) {
  KernelRecord kernel;
  kernel.program.emplace().stack = {{file, line, function}, {"train.py", 3, "<module>"}};
  return kernel;
}

TEST(PythonPlace, IsTheInnermostCall) {
  EXPECT_EQ(LaunchedAt(At("/home/me/models/attention.py", 77, "forward")), "/home/me/models/attention.py:77 (forward)");
  EXPECT_EQ(LaunchedAt(At("train.py", 42, "<module>")), "train.py:42");
  EXPECT_EQ(LaunchedAt(KernelRecord()), "") << "of a benchmark";
  KernelRecord unknown;
  unknown.program.emplace();
  EXPECT_EQ(LaunchedAt(unknown), "");
}

TEST(PythonPlace, PeopleSeeOneFolder) {
  EXPECT_EQ(ShortLaunchedAt(At("/home/me/models/attention.py", 77, "forward")), "models/attention.py:77 (forward)");
  for (const char* file : {"train.py", "models/a.py", "/a.py"})
    EXPECT_EQ(ShortLaunchedAt(At(file, 1, "<module>")), std::string(file) + ":1");
}

TEST(PythonPlace, OneThatMovedIsShownAsBoth) {
  const KernelRecord was = At("train.py", 40, "step"), is = At("train.py", 42, "step"), unknown;
  EXPECT_EQ(LaunchedAtInBoth(&was, &is), "train.py:40 (step) -> train.py:42 (step)");
  EXPECT_EQ(LaunchedAtInBoth(&is, &is), "train.py:42 (step)");
  EXPECT_EQ(LaunchedAtInBoth(nullptr, &is), "train.py:42 (step)");
  EXPECT_EQ(LaunchedAtInBoth(&was, nullptr), "train.py:40 (step)");
  EXPECT_EQ(LaunchedAtInBoth(&unknown, &is), "train.py:42 (step)");
  EXPECT_EQ(LaunchedAtInBoth(&was, &unknown), "train.py:40 (step)");
  EXPECT_EQ(LaunchedAtInBoth(&unknown, &unknown), "");
}

}  // namespace
}  // namespace culprit
