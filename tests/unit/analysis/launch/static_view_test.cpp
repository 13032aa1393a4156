// SPDX-License-Identifier: Apache-2.0
#include "analysis/launch/static_view.h"

#include <gtest/gtest.h>

namespace culprit {
namespace {

TEST(StaticView, TrustsTheRuntimeFirst) {
  const std::vector<StaticAttribute> attributes = {{"registers", "compiler", 40, ReadingStatus::kOk},
                                                   {"registers", "runtime", 42, ReadingStatus::kOk}};
  const StaticView view(attributes);
  EXPECT_DOUBLE_EQ(*view.Get("registers"), 42);
  EXPECT_TRUE(view.Facts()[0].disagrees);
}

TEST(StaticView, TrustsTheLoadedKernelBeforeTheRuntime) {
  const std::vector<StaticAttribute> attributes = {{"registers", "runtime", 42, ReadingStatus::kOk},
                                                   {"registers", "launch", 40, ReadingStatus::kOk}};
  EXPECT_DOUBLE_EQ(*StaticView(attributes).Get("registers"), 40);
}

TEST(StaticView, ASourceWithoutAValueDoesNotDisagree) {
  const std::vector<StaticAttribute> attributes = {{"registers", "runtime", std::nullopt, ReadingStatus::kFailed},
                                                   {"registers", "cubin", 42, ReadingStatus::kOk}};
  const StaticView view(attributes);
  EXPECT_DOUBLE_EQ(*view.Get("registers"), 42);
  EXPECT_FALSE(view.Facts()[0].disagrees);
}

TEST(StaticView, NamesTheSmallestLimitAndTies) {
  std::vector<StaticAttribute> attributes;
  for (const auto& [name, blocks] : {std::pair{"registers", 2.0}, {"shared", 5.0}, {"warps", 8.0}, {"blocks", 32.0}})
    attributes.push_back({std::string("blocks_per_sm_by_") + name, "model", blocks, ReadingStatus::kOk});
  EXPECT_EQ(StaticView(attributes).Limit()->resource, "registers");
  attributes[1].value = 2;
  EXPECT_EQ(StaticView(attributes).Limit()->resource, "registers and shared memory");
  attributes.pop_back();
  EXPECT_FALSE(StaticView(attributes).Limit());
}

TEST(StaticView, AnAttributeThatNobodyStatedIsNotMeasured) {
  EXPECT_EQ(StaticView({}).Get("registers").absence(), Absence::kNotAsked);
}

}  // namespace
}  // namespace culprit
