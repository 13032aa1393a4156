// SPDX-License-Identifier: Apache-2.0
#include "analysis/banks/bank_model.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

#include "db/error.h"

namespace culprit {
namespace {

bool Active(const SharedAccess& access, int lane) { return access.address[lane] != kInactiveLane; }

struct Group {
  int first, lanes;
};

bool HasActive(const SharedAccess& access, const Group& group) {
  for (int lane = group.first; lane < group.first + group.lanes; ++lane)
    if (Active(access, lane)) return true;
  return false;
}

bool PairAt(const SharedAccess& access, const Group& group, int distance) {
  for (int lane = group.first; lane < group.first + group.lanes; ++lane) {
    const int partner = lane ^ distance;
    if (Active(access, lane) && Active(access, partner) && access.address[lane] != access.address[partner])
      return false;
  }
  return true;
}

bool PairUp(const SharedAccess& access, const Group& group) {
  return PairAt(access, group, 1) || PairAt(access, group, 2);
}

struct Turns {
  std::array<int, kWarpLanes> of_lane = {};
  int count = 0;
};

// A lane's bytes lie in one slot; the slots divide the 32 banks. Lanes with different addresses in one slot are served
// in successive wavefronts.
Turns TakeTurns(const SharedAccess& access, const Group& group) {
  Turns turns;
  std::vector<std::vector<std::int64_t>> slots(kWavefrontBytes / access.lane_bytes);
  for (int lane = group.first; lane < group.first + group.lanes; ++lane) {
    if (!Active(access, lane)) continue;
    const std::int64_t address = access.address[lane];
    auto& slot = slots[address / access.lane_bytes % static_cast<std::int64_t>(slots.size())];
    auto turn = std::find(slot.begin(), slot.end(), address);
    if (turn == slot.end()) turn = slot.insert(turn, address);
    turns.of_lane[lane] = static_cast<int>(turn - slot.begin());
    turns.count = std::max(turns.count, static_cast<int>(slot.size()));
  }
  return turns;
}

// The groups of an instruction in serving order; two neighbours are one when `merges` says so. Leaves out groups
// without active lanes.
template <class Merges>
std::vector<Group> Groups(const SharedAccess& access, Merges merges) {
  const int full = kWavefrontBytes / access.lane_bytes;  // lanes that fill a wavefront
  std::vector<Group> groups;
  for (int first = 0; first < kWarpLanes; first += full) {
    Group group{first, full};
    const Group both{first, 2 * full};
    if (access.op == SharedOp::kLoad && full < kWarpLanes && first % (2 * full) == 0 && merges(both)) {
      group = both;
      first += full;
    }
    if (HasActive(access, group)) groups.push_back(group);
  }
  return groups;
}

// Addresses may be as large as the type allows, so nothing is added to them.
bool Fits(std::int64_t address, int bytes) { return address <= kMostSharedBytes - bytes; }

}  // namespace

void CheckAccess(const SharedAccess& access) {
  const std::string name = access.name.empty() ? "the access" : "'" + access.name + "'";
  const int bytes = access.lane_bytes;
  if (IsMatrix(access.op) && bytes != 16)
    throw Error(fmt::format("{}: a row of ldmatrix or stmatrix has 16 bytes, not {}; give --bytes 16.", name, bytes));
  if (bytes != 4 && bytes != 8 && bytes != 16)
    throw Error(fmt::format("{}: a lane loads or stores 4, 8 or 16 bytes, not {}.", name, bytes));
  int active = 0, last = -1;
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    if (!Active(access, lane)) continue;
    ++active;
    last = lane;
    const std::int64_t address = access.address[lane];
    const auto at = [&] { return fmt::format("{}: lane {} has the address {}", name, lane, address); };
    if (address < 0) throw Error(at() + "; addresses count from the start of the array and are not negative.");
    if (!Fits(address, bytes))
      throw Error(
          fmt::format("{}, but no SM has more than {} bytes of shared memory; give byte addresses from the start "
                      "of the array.",
                      at(), kMostSharedBytes));
    if (address % bytes != 0)
      throw Error(
          fmt::format("{}, which is not a multiple of its {} bytes: the hardware would refuse it; align the "
                      "pattern or give a smaller width.",
                      at(), bytes));
  }
  if (active == 0) throw Error(name + ": no lane is active; give at least one an address.");
  if (IsMatrix(access.op) && (last != active - 1 || (active != 8 && active != 16 && active != 32)))
    throw Error(
        fmt::format("{}: {} lanes up to lane {} name rows; ldmatrix and stmatrix take those of lanes 0..7 (.x1), "
                    "0..15 (.x2) or 0..31 (.x4).",
                    name, active, last));
}

bool FitsAnSm(const SharedAccess& access) {
  return std::ranges::all_of(access.address, [&](std::int64_t address) {
    return address == kInactiveLane || Fits(address, access.lane_bytes);
  });
}

BankCost Model(const SharedAccess& access) {
  CheckAccess(access);
  BankCost cost;
  cost.group_of_lane.fill(-1);
  cost.wavefront_of_lane.fill(-1);
  int active = 0;
  const bool warp_pairs_up = PairUp(access, {0, kWarpLanes});
  for (const Group& group : Groups(access, [&](const Group&) { return warp_pairs_up; })) {
    const Turns turns = TakeTurns(access, group);
    for (int lane = group.first; lane < group.first + group.lanes; ++lane) {
      if (!Active(access, lane)) continue;
      ++active;
      cost.group_of_lane[lane] = cost.least;
      cost.wavefront_of_lane[lane] = cost.wavefronts + turns.of_lane[lane];
    }
    cost.wavefronts += turns.count;
    ++cost.least;
  }

  const auto one_serves = [&](const Group& both) { return PairUp(access, both) && TakeTurns(access, both).count == 1; };
  for (const Group& group : Groups(access, one_serves)) cost.sass_wavefronts += TakeTurns(access, group).count;
  const int filled = (active * access.lane_bytes + kWavefrontBytes - 1) / kWavefrontBytes;
  cost.ideal = std::min(cost.sass_wavefronts, filled);
  return cost;
}

}  // namespace culprit
