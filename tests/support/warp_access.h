// SPDX-License-Identifier: Apache-2.0
// Warp accesses for tests. A function maps each lane to its address.
#pragma once
#include "db/shared_access.h"

namespace culprit::testing {

// `address` maps a lane to a byte address or kInactiveLane.
template <class Address>
SharedAccess WarpAccess(SharedOp op, int lane_bytes, Address address) {
  SharedAccess access;
  access.name = "access";
  access.array = "array";
  access.op = op;
  access.lane_bytes = lane_bytes;
  for (int lane = 0; lane < kWarpLanes; ++lane) access.address[lane] = address(lane);
  return access;
}

template <class Address>
SharedAccess Load(int lane_bytes, Address address) {
  return WarpAccess(SharedOp::kLoad, lane_bytes, address);
}

template <class Address>
SharedAccess Store(int lane_bytes, Address address) {
  return WarpAccess(SharedOp::kStore, lane_bytes, address);
}

}  // namespace culprit::testing
