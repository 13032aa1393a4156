// SPDX-License-Identifier: Apache-2.0
#include "analysis/bank_model.h"

#include <algorithm>
#include <string>
#include <vector>

#include "db/error.h"

namespace culprit {
namespace {

bool IsMatrix(SharedOp op) { return op == SharedOp::kLoadMatrix || op == SharedOp::kStoreMatrix; }

bool Active(const SharedAccess& access, int lane) { return access.address[lane] != kInactiveLane; }

// Whether every active lane of [first, first + lanes) wants what its partner `lane ^ distance` wants.
bool PairUp(const SharedAccess& access, int first, int lanes, int distance) {
  for (int lane = first; lane < first + lanes; ++lane) {
    const int partner = lane ^ distance;
    if (Active(access, lane) && Active(access, partner) && access.address[lane] != access.address[partner])
      return false;
  }
  return true;
}

// Whether the hardware serves [first, first + lanes) in one group although its bytes would fill two.
bool Merges(const SharedAccess& access, int first, int lanes) {
  return PairUp(access, first, lanes, 1) || PairUp(access, first, lanes, 2);
}

struct Group {
  int first, lanes;
};

// In the order in which they are served. Groups without an active lane do not exist.
std::vector<Group> Groups(const SharedAccess& access) {
  std::vector<Group> groups;
  const auto add = [&](int first, int lanes) {
    for (int lane = first; lane < first + lanes; ++lane)
      if (Active(access, lane)) return groups.push_back({first, lanes});
  };
  // As many lanes as fill a wavefront: the warp, a half or a quarter of it.
  const int full = kWavefrontBytes / access.lane_bytes;
  if (IsMatrix(access.op) || full == kWarpLanes) {
    for (int first = 0; first < kWarpLanes; first += full) add(first, full);
    return groups;
  }
  for (int first = 0; first < kWarpLanes; first += 2 * full) {
    if (Merges(access, first, 2 * full)) {
      add(first, 2 * full);
    } else {
      add(first, full);
      add(first + full, full);
    }
  }
  return groups;
}

std::string LaneText(int lane) { return "lane " + std::to_string(lane); }

}  // namespace

void CheckAccess(const SharedAccess& access) {
  const std::string name = access.name.empty() ? "the access" : "'" + access.name + "'";
  const int bytes = access.lane_bytes;
  if (IsMatrix(access.op) && bytes != 16)
    throw Error(name + ": a row of ldmatrix or stmatrix has 16 bytes, not " + std::to_string(bytes) +
                "; give --bytes 16.");
  if (bytes != 4 && bytes != 8 && bytes != 16)
    throw Error(name + ": a lane loads or stores 4, 8 or 16 bytes, not " + std::to_string(bytes) + ".");
  int active = 0, last = -1;
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    if (!Active(access, lane)) continue;
    ++active;
    last = lane;
    const std::int64_t address = access.address[lane];
    if (address < 0)
      throw Error(name + ": " + LaneText(lane) + " has the address " + std::to_string(address) +
                  "; addresses count from the start of the array and are not negative.");
    if (address % bytes != 0)
      throw Error(name + ": " + LaneText(lane) + " has the address " + std::to_string(address) +
                  ", which is not a multiple of its " + std::to_string(bytes) +
                  " bytes: the hardware would refuse it; align the pattern or give a smaller width.");
  }
  if (active == 0) throw Error(name + ": no lane is active; give at least one an address.");
  if (IsMatrix(access.op) && (last != active - 1 || (active != 8 && active != 16 && active != 32)))
    throw Error(name + ": " + std::to_string(active) + " lanes up to " + LaneText(last) +
                " name rows; ldmatrix and stmatrix take those of lanes 0..7 (.x1), 0..15 (.x2) or 0..31 (.x4).");
}

BankCost Model(const SharedAccess& access) {
  CheckAccess(access);
  BankCost cost;
  cost.group_of_lane.fill(-1);
  cost.wavefront_of_lane.fill(-1);
  for (const Group& group : Groups(access)) {
    // A lane's bytes lie in one of the slots that make up the 32 banks; lanes with different addresses in one slot take
    // turns, and the turn is the wavefront.
    std::vector<std::vector<std::int64_t>> turns(kWavefrontBytes / access.lane_bytes);
    int wavefronts = 0;
    for (int lane = group.first; lane < group.first + group.lanes; ++lane) {
      if (!Active(access, lane)) continue;
      const std::int64_t address = access.address[lane];
      auto& slot = turns[address / access.lane_bytes % static_cast<std::int64_t>(turns.size())];
      auto turn = std::find(slot.begin(), slot.end(), address);
      if (turn == slot.end()) turn = slot.insert(turn, address);
      cost.group_of_lane[lane] = cost.ideal;
      cost.wavefront_of_lane[lane] = cost.wavefronts + static_cast<int>(turn - slot.begin());
      wavefronts = std::max(wavefronts, static_cast<int>(slot.size()));
    }
    cost.wavefronts += wavefronts;
    ++cost.ideal;
  }
  return cost;
}

}  // namespace culprit
