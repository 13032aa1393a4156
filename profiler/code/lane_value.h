// SPDX-License-Identifier: Apache-2.0
// The known part of a register's value in the 32 lanes of a warp, and arithmetic on it.
//
// A value is the sum of a part that all lanes share and a known part that differs between lanes. The shared part is a
// known number, or only known to be a multiple of a power of two. This is enough for the shifts, masks and XOR of
// address arithmetic.
#pragma once
#include <array>
#include <cstdint>
#include <optional>

#include "db/shared_access.h"

namespace culprit {

using Lanes = std::array<std::int64_t, kWarpLanes>;

struct LaneValue {
  // kNothing: no path has set it yet. kVaries: lanes differ in an unknown way.
  enum class Kind { kNothing, kKnown, kVaries };
  static constexpr int kExactBits = 62;

  Kind kind = Kind::kNothing;
  Lanes lanes = {};                         // the part that differs
  bool scaled = false;                      // multiplied by an unknown number that all lanes share
  std::optional<std::int64_t> shared = {};  // the part that lanes share, if known
  int aligned_bits = 0;                     // the shared part is a multiple of 1 << this; kExactBits if it is 0
  std::optional<std::int64_t> below = {};   // if set: 0 <= value < this
  bool pointer = false;  // a 64-bit kernel argument, assumed to be an address that is a multiple of 256

  static LaneValue Nothing() { return {}; }
  static LaneValue Varies() { return {.kind = Kind::kVaries}; }
  static LaneValue Number(std::int64_t number);
  static LaneValue Shared(int aligned_bits = 0);
  static LaneValue OfLanes(const Lanes& lanes, int aligned_bits = kExactBits);

  bool IsKnown() const { return kind == Kind::kKnown; }
  // Whether all lanes have the same value.
  bool IsShared() const;
  bool operator==(const LaneValue&) const = default;
};

// The value where two paths meet.
LaneValue Join(const LaneValue& a, const LaneValue& b);

LaneValue Add(const LaneValue& a, const LaneValue& b);
LaneValue Negated(const LaneValue& a);
LaneValue Multiplied(const LaneValue& a, const LaneValue& b);
LaneValue ShiftedLeft(const LaneValue& a, int bits);
LaneValue ShiftedRight(const LaneValue& a, int bits);
// LOP3: bit n of `table` is the result for bits of a, b and c that form the number n, with a as the highest.
LaneValue Bitwise(unsigned table, const LaneValue& a, const LaneValue& b, const LaneValue& c);

}  // namespace culprit
