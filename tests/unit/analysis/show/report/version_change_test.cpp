// SPDX-License-Identifier: Apache-2.0
#include "analysis/show/report/version_change.h"

#include <gtest/gtest.h>

#include <vector>

namespace culprit {
namespace {

using Versions = std::vector<LibraryVersion>;

TEST(VersionChange, NamesEachLibraryThatChanged) {
  const Versions base{{"cudnn", "9.10"}, {"torch", "2.10.0"}, {"triton", "3.6.0"}};
  const Versions candidate{{"cublas", "13.1"}, {"torch", "2.11.0"}, {"triton", "3.6.0"}};
  const std::optional<Warning> change = VersionChange(base, candidate);
  ASSERT_TRUE(change);
  EXPECT_EQ(change->code, "other_versions");
  EXPECT_EQ(change->text,
            "The two runs had other versions of libraries: cudnn 9.10 -> none, torch 2.10.0 -> 2.11.0, cublas none -> "
            "13.1.");
}

TEST(VersionChange, IsSilentIfNothingChangedOrOneSideIsNotKnown) {
  const Versions one{{"torch", "2.10.0"}};
  EXPECT_FALSE(VersionChange(one, one));
  EXPECT_FALSE(VersionChange({}, one));
  EXPECT_FALSE(VersionChange(one, {}));
}

}  // namespace
}  // namespace culprit
