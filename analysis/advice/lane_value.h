// SPDX-License-Identifier: Apache-2.0
// What is known of a register's value in the 32 lanes of a warp, and arithmetic on it.
//
// A value is a part that all lanes share plus a part that differs from lane to lane and is known. Of the shared part a
// number may be known, or only that it is a multiple of some power of two: that is enough to follow shifts, masks and
// XOR of thread indices as address arithmetic makes them.
#pragma once
#include <array>
#include <cstdint>
#include <optional>

#include "db/shared_access.h"

namespace culprit {

using Lanes = std::array<std::int64_t, kWarpLanes>;

struct LaneValue {
  // kNothing: no path has set it yet; kVaries: lanes differ and how is not known.
  enum class Kind { kNothing, kKnown, kVaries };
  static constexpr int kExactBits = 62;

  Kind kind = Kind::kNothing;
  Lanes lanes = {};     // the part that differs
  bool scaled = false;  // it is to be multiplied by a number that all lanes share and that is not known
  std::optional<std::int64_t> shared = {};  // the part that lanes share, where it is known
  int aligned_bits = 0;                     // the shared part is a multiple of 1 << this; kExactBits where it is 0
  std::optional<std::int64_t> below = {};   // the value is not negative and smaller than this
  bool pointer = false;  // holds what the launch passed as 64 bits: taken for an address that is a multiple of 256

  static LaneValue Nothing() { return {}; }
  static LaneValue Varies() { return {.kind = Kind::kVaries}; }
  static LaneValue Number(std::int64_t number);
  static LaneValue Shared(int aligned_bits = 0);
  static LaneValue OfLanes(const Lanes& lanes, int aligned_bits = kExactBits);

  bool IsKnown() const { return kind == Kind::kKnown; }
  // The same in all lanes.
  bool IsShared() const;
  bool operator==(const LaneValue&) const = default;
};

// Where paths meet.
LaneValue Join(const LaneValue& a, const LaneValue& b);

LaneValue Add(const LaneValue& a, const LaneValue& b);
LaneValue Negated(const LaneValue& a);
LaneValue Multiplied(const LaneValue& a, const LaneValue& b);
LaneValue ShiftedLeft(const LaneValue& a, int bits);
LaneValue ShiftedRight(const LaneValue& a, int bits);
// LOP3: bit n of `table` is the result where the bits of a, b and c are those of n, a's the highest.
LaneValue Bitwise(unsigned table, const LaneValue& a, const LaneValue& b, const LaneValue& c);

}  // namespace culprit
