// SPDX-License-Identifier: Apache-2.0
#include "profiler/inject/walk_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace culprit {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::size_t> Order(std::size_t nodes, const std::vector<GraphEdge>& edges) {
  return WalkOrder(nodes, edges);
}

TEST(WalkOrder, NodesWithoutEdgesKeepTheirOrder) {
  EXPECT_THAT(Order(3, {}), ElementsAre(0, 1, 2));
  EXPECT_THAT(Order(0, {}), IsEmpty());
}

TEST(WalkOrder, ANodeComesAfterAllThatItDependsOn) {
  EXPECT_THAT(Order(4, {{3, 2}, {2, 1}, {1, 0}}), ElementsAre(3, 2, 1, 0));
  // A fork and its join: 4 first, then its branches 1 and 3-0, then 2.
  EXPECT_THAT(Order(5, {{4, 1}, {4, 3}, {3, 0}, {0, 2}, {1, 2}}), ElementsAre(4, 1, 3, 0, 2));
}

TEST(WalkOrder, ANodeThatIsReadyEarlierDoesNotOvertakeOneWithASmallerNumber) {
  EXPECT_THAT(Order(4, {{0, 1}}), ElementsAre(0, 1, 2, 3));
}

TEST(WalkOrder, AnEdgeMayBeThereTwice) { EXPECT_THAT(Order(2, {{1, 0}, {1, 0}}), ElementsAre(1, 0)); }

TEST(WalkOrder, LeavesOutACycleAndWhatIsBehindIt) { EXPECT_THAT(Order(4, {{1, 2}, {2, 1}, {2, 3}}), ElementsAre(0)); }

}  // namespace
}  // namespace culprit
