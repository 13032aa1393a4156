// SPDX-License-Identifier: Apache-2.0
// What must hold of the bank model whatever the addresses are.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

#include "analysis/banks/bank_model.h"
#include "tests/support/warp_access.h"

namespace culprit {
namespace {

// Widths and operations that go together, addresses within 4 KiB so that lanes meet often, some lanes inactive.
SharedAccess AnyAccess() {
  const auto op = *rc::gen::element(SharedOp::kLoad, SharedOp::kStore, SharedOp::kLoadMatrix, SharedOp::kStoreMatrix);
  const bool matrix = op == SharedOp::kLoadMatrix || op == SharedOp::kStoreMatrix;
  const int bytes = matrix ? 16 : *rc::gen::element(4, 8, 16);
  const int chunks = *rc::gen::inRange(1, 4096 / bytes);
  const auto chunk = *rc::gen::container<std::vector<int>>(kWarpLanes, rc::gen::inRange(0, chunks));
  const auto active = *rc::gen::container<std::vector<bool>>(kWarpLanes, rc::gen::arbitrary<bool>());
  const int always = *rc::gen::inRange(0, kWarpLanes);
  return testing::WarpAccess(op, bytes, [&](int lane) -> std::int64_t {
    return matrix || active[lane] || lane == always ? chunk[lane] * bytes : kInactiveLane;
  });
}

RC_GTEST_PROP(BankModelProperty, CostsAtLeastTheIdealWhichIsAtLeastOne, ()) {
  const BankCost cost = Model(AnyAccess());
  RC_ASSERT(cost.ideal >= 1);
  RC_ASSERT(cost.sass_wavefronts >= cost.ideal);
  RC_ASSERT(cost.excess() == cost.sass_wavefronts - cost.ideal);
  RC_ASSERT(cost.least >= 1);
  RC_ASSERT(cost.wavefronts >= cost.least);
}

RC_GTEST_PROP(BankModelProperty, DoesNotChangeWhenEveryAddressMovesByAllBanks, ()) {
  SharedAccess access = AnyAccess();
  const BankCost before = Model(access);
  const int rows = *rc::gen::inRange(1, 100);
  for (std::int64_t& address : access.address)
    if (address != kInactiveLane) address += rows * kWavefrontBytes;
  const BankCost after = Model(access);
  RC_ASSERT(after.wavefronts == before.wavefronts);
  RC_ASSERT(after.ideal == before.ideal);
  RC_ASSERT(after.wavefront_of_lane == before.wavefront_of_lane);
}

RC_GTEST_PROP(BankModelProperty, DoesNotChangeWhenEveryAddressMovesByTheWidth, ()) {
  SharedAccess access = AnyAccess();
  const int before = Model(access).wavefronts, steps = *rc::gen::inRange(1, 100);
  for (std::int64_t& address : access.address)
    if (address != kInactiveLane) address += steps * access.lane_bytes;
  RC_ASSERT(Model(access).wavefronts == before);  // the banks rotate
}

RC_GTEST_PROP(BankModelProperty, DoesNotCareWhichLaneAsksWithinAGroupOf32Bits, ()) {
  SharedAccess access = AnyAccess();
  RC_PRE(access.lane_bytes == 4);
  const int before = Model(access).wavefronts;
  const int a = *rc::gen::inRange(0, kWarpLanes), b = *rc::gen::inRange(0, kWarpLanes);
  std::swap(access.address[a], access.address[b]);
  std::rotate(access.address.begin(), access.address.begin() + a, access.address.end());
  RC_ASSERT(Model(access).wavefronts == before);
}

RC_GTEST_PROP(BankModelProperty, AnswersAllLanesThatLoadTheSameAtOnceOrAHalfWarpAtATime, ()) {
  SharedAccess access = AnyAccess();
  RC_PRE(access.op == SharedOp::kLoad);
  const std::int64_t address = *rc::gen::inRange(0, 100) * access.lane_bytes;
  bool half[2] = {};
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    if (access.address[lane] == kInactiveLane) continue;
    access.address[lane] = address;
    half[lane / 16] = true;
  }
  const BankCost cost = Model(access);
  RC_ASSERT(cost.wavefronts == (access.lane_bytes == 16 ? half[0] + half[1] : 1));
  RC_ASSERT(cost.sass_wavefronts == cost.wavefronts);
}

RC_GTEST_PROP(BankModelProperty, TheSassMetricDiffersOnlyInWideLoads, ()) {
  const SharedAccess access = AnyAccess();
  const BankCost cost = Model(access);
  RC_ASSERT(cost.sass_wavefronts >= 1);
  if (access.op != SharedOp::kLoad || access.lane_bytes == 4) RC_ASSERT(cost.sass_wavefronts == cost.wavefronts);
}

RC_GTEST_PROP(BankModelProperty, GivesOneRowOfBanksToAGroupWithoutConflictInAnyOrder, ()) {
  const int bytes = *rc::gen::element(4, 8, 16), lanes = kWavefrontBytes / bytes;
  std::vector<int> order(lanes);
  std::iota(order.begin(), order.end(), 0);
  for (int i = lanes - 1; i > 0; --i) std::swap(order[i], order[*rc::gen::inRange(0, i + 1)]);
  const int row = *rc::gen::inRange(0, 8);
  const BankCost cost = Model(testing::Load(bytes, [&](int lane) {
    return (lane / lanes * row + lane / lanes) * kWavefrontBytes + order[lane % lanes] * bytes;
  }));
  RC_ASSERT(cost.excess() == 0);
}

RC_GTEST_PROP(BankModelProperty, NeverCostsMoreWithoutALane, ()) {
  SharedAccess access = AnyAccess();
  RC_PRE(access.op == SharedOp::kLoad || access.op == SharedOp::kStore);
  RC_PRE(std::count(access.address.begin(), access.address.end(), kInactiveLane) < kWarpLanes - 1);
  const BankCost before = Model(access);
  access.address[*rc::gen::suchThat(rc::gen::inRange(0, kWarpLanes),
                                    [&](int lane) { return access.address[lane] != kInactiveLane; })] = kInactiveLane;
  const BankCost after = Model(access);
  RC_ASSERT(after.wavefronts <= before.wavefronts);
  RC_ASSERT(after.ideal <= before.ideal);
  RC_ASSERT(after.sass_wavefronts <= before.sass_wavefronts);
}

// The drawing rests on this: in a wavefront a bank holds one word, and every active lane is in exactly one.
RC_GTEST_PROP(BankModelProperty, PutsNoTwoWordsOfABankIntoOneWavefront, ()) {
  const SharedAccess access = AnyAccess();
  const BankCost cost = Model(access);
  std::vector<std::vector<std::int64_t>> word(cost.wavefronts, std::vector<std::int64_t>(kBanks, -1));
  std::vector<bool> used(cost.wavefronts, false);
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    const int wavefront = cost.wavefront_of_lane[lane];
    RC_ASSERT((wavefront == -1) == (access.address[lane] == kInactiveLane));
    if (wavefront == -1) continue;
    RC_ASSERT(wavefront < cost.wavefronts);
    used[wavefront] = true;
    for (std::int64_t at = access.address[lane]; at < access.address[lane] + access.lane_bytes; at += kBankBytes) {
      std::int64_t& held = word[wavefront][BankOf(at)];
      RC_ASSERT(held == -1 || held == at);
      held = at;
    }
  }
  RC_ASSERT(std::all_of(used.begin(), used.end(), [](bool b) { return b; }));
}

}  // namespace
}  // namespace culprit
