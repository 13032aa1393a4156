// SPDX-License-Identifier: Apache-2.0
#include "profiler/code/lane_value.h"

#include <algorithm>
#include <bit>

namespace culprit {
namespace {

// Beyond this nothing is an address; keeps products far from overflow.
constexpr std::int64_t kMost = std::int64_t{1} << 40;

// A larger factor belongs to no address within a warp. Together with kMost below what a number can hold.
constexpr std::int64_t kMostFactor = std::int64_t{1} << 20;

int BitsOf(std::int64_t number) {
  return number == 0 ? LaneValue::kExactBits
                     : std::min(LaneValue::kExactBits, std::countr_zero(static_cast<std::uint64_t>(number)));
}

bool TooLarge(const LaneValue& v) {
  return (v.shared && std::abs(*v.shared) > kMost) ||
         std::ranges::any_of(v.lanes, [](std::int64_t n) { return n > kMost || n < -kMost; });
}

// Loses what may overflow.
LaneValue Checked(LaneValue v) {
  if (TooLarge(v)) return v.IsShared() ? LaneValue::Shared() : LaneValue::Varies();
  if (v.below && (*v.below <= 0 || *v.below > kMost)) v.below.reset();
  return v;
}

bool IsExact(const LaneValue& v) { return v.IsKnown() && !v.scaled && v.shared.has_value(); }

// What is computed with is no address: a number of 64 bits that the launch passes need be a multiple of nothing.
LaneValue AsNumber(const LaneValue& v) {
  if (!v.pointer) return v;
  LaneValue number = v;
  number.pointer = false;
  number.aligned_bits = 0;
  return number;
}

// The lanes' part is within the bits that the shared part leaves free.
bool Fits(const LaneValue& v) {
  return v.IsKnown() && !v.scaled && std::ranges::all_of(v.lanes, [&](std::int64_t n) {
           return n >= 0 && (v.aligned_bits >= LaneValue::kExactBits || n < std::int64_t{1} << v.aligned_bits);
         });
}

}  // namespace

LaneValue LaneValue::Number(std::int64_t number) {
  LaneValue v{.kind = Kind::kKnown, .shared = number, .aligned_bits = BitsOf(number)};
  if (number >= 0) v.below = number + 1;
  return v;
}

LaneValue LaneValue::Shared(int aligned_bits) { return {.kind = Kind::kKnown, .aligned_bits = aligned_bits}; }

LaneValue LaneValue::OfLanes(const Lanes& lanes, int aligned_bits) {
  LaneValue v{.kind = Kind::kKnown, .lanes = lanes, .aligned_bits = aligned_bits};
  if (aligned_bits == kExactBits) v.shared = 0;
  return v;
}

bool LaneValue::IsShared() const {
  return IsKnown() && std::ranges::all_of(lanes, [&](std::int64_t n) { return n == lanes[0]; });
}

LaneValue Join(const LaneValue& a, const LaneValue& b) {
  if (a.kind == LaneValue::Kind::kNothing) return b;
  if (b.kind == LaneValue::Kind::kNothing || a == b) return a;
  if (!a.IsKnown() || !b.IsKnown() || a.lanes != b.lanes || a.scaled != b.scaled) return LaneValue::Varies();
  LaneValue joined = a;
  if (a.shared != b.shared) joined.shared.reset();
  joined.aligned_bits = std::min(a.aligned_bits, b.aligned_bits);
  // Not the larger of both: a loop's counter would grow without an end.
  if (a.below != b.below) joined.below.reset();
  joined.pointer = a.pointer || b.pointer;
  return joined;
}

LaneValue Add(const LaneValue& a, const LaneValue& b) {
  if (!a.IsKnown() || !b.IsKnown()) return LaneValue::Varies();
  if ((a.scaled && !b.IsShared()) || (b.scaled && !a.IsShared())) return LaneValue::Varies();
  LaneValue sum{.kind = LaneValue::Kind::kKnown, .scaled = a.scaled || b.scaled};
  for (int l = 0; l < kWarpLanes; ++l) sum.lanes[l] = a.lanes[l] + b.lanes[l];
  if (a.shared && b.shared) sum.shared = *a.shared + *b.shared;
  sum.aligned_bits = sum.shared ? BitsOf(*sum.shared) : std::min(a.aligned_bits, b.aligned_bits);
  if (a.below && b.below) sum.below = *a.below + *b.below - 1;
  sum.pointer = a.pointer || b.pointer;
  return Checked(sum);
}

LaneValue Negated(const LaneValue& a) {
  if (!a.IsKnown()) return LaneValue::Varies();
  LaneValue negated = a;
  for (std::int64_t& n : negated.lanes) n = -n;
  if (a.shared) negated.shared = -*a.shared;
  negated.below.reset();
  return negated;
}

LaneValue Multiplied(const LaneValue& a, const LaneValue& b) {
  if (!a.IsKnown() || !b.IsKnown()) return LaneValue::Varies();
  if (a.pointer || b.pointer) return Multiplied(AsNumber(a), AsNumber(b));
  if (!a.IsShared()) return b.IsShared() ? Multiplied(b, a) : LaneValue::Varies();
  if (a.scaled) return b.IsShared() ? LaneValue::Shared() : LaneValue::Varies();
  LaneValue product = b;
  product.pointer = false;
  if (IsExact(a)) {
    const std::int64_t factor = *a.shared + a.lanes[0];
    if (factor > kMost || factor < -kMost) return b.IsShared() ? LaneValue::Shared() : LaneValue::Varies();
    if (factor == 0) return LaneValue::Number(0);
    if (std::abs(factor) > kMostFactor) {
      if (!b.IsShared()) return LaneValue::Varies();
      const bool small = IsExact(b) && std::abs(*b.shared) <= kMostFactor && std::abs(b.lanes[0]) <= kMostFactor;
      if (!small)
        return LaneValue::Shared(b.lanes[0] == 0 ? std::min(LaneValue::kExactBits - 1, b.aligned_bits + BitsOf(factor))
                                                 : 0);
    }
    for (std::int64_t& n : product.lanes) n *= factor;
    if (product.shared) product.shared = *product.shared * factor;
    product.aligned_bits = std::min(LaneValue::kExactBits, product.aligned_bits + BitsOf(factor));
    if (product.below && factor > 0)
      product.below = (*product.below - 1) * factor + 1;
    else
      product.below.reset();
    return Checked(product);
  }
  // By a number that only the run knows.
  product.shared.reset();
  product.below.reset();
  const int bits = a.IsShared() && a.lanes[0] == 0 ? a.aligned_bits : 0;
  if (b.IsShared())
    return LaneValue::Shared(std::min(LaneValue::kExactBits - 1, bits + (b.lanes[0] == 0 ? b.aligned_bits : 0)));
  product.scaled = true;
  product.aligned_bits = std::min(LaneValue::kExactBits - 1, bits + b.aligned_bits);
  return product;
}

LaneValue ShiftedLeft(const LaneValue& a, int bits) {
  if (bits < 0 || bits > 31) return a.IsShared() ? LaneValue::Shared() : LaneValue::Varies();
  return Multiplied(LaneValue::Number(std::int64_t{1} << bits), a);
}

LaneValue ShiftedRight(const LaneValue& a, int bits) {
  if (a.pointer) return ShiftedRight(AsNumber(a), bits);
  if (!a.IsKnown() || bits < 0 || bits > 62) return LaneValue::Varies();
  if (a.below && *a.below <= std::int64_t{1} << bits) return LaneValue::Number(0);
  if (IsExact(a)) {
    Lanes lanes;
    for (int l = 0; l < kWarpLanes; ++l) lanes[l] = (*a.shared + a.lanes[l]) >> bits;
    LaneValue exact = LaneValue::OfLanes(lanes);
    if (exact.IsShared()) exact = LaneValue::Number(lanes[0]);
    if (a.below) exact.below = ((*a.below - 1) >> bits) + 1;
    return exact;
  }
  if (!Fits(a)) return a.IsShared() ? LaneValue::Shared() : LaneValue::Varies();
  LaneValue shifted = LaneValue::Shared(std::max(0, a.aligned_bits - bits));
  for (int l = 0; l < kWarpLanes; ++l) shifted.lanes[l] = a.lanes[l] >> bits;
  if (a.below) shifted.below = ((*a.below - 1) >> bits) + 1;
  return shifted;
}

LaneValue Bitwise(unsigned table, const LaneValue& a, const LaneValue& b, const LaneValue& c) {
  if (a.pointer || b.pointer || c.pointer) return Bitwise(table, AsNumber(a), AsNumber(b), AsNumber(c));
  const std::array<const LaneValue*, 3> operands = {&a, &b, &c};
  int low_bits = LaneValue::kExactBits;
  for (const LaneValue* v : operands) {
    if (!v->IsKnown() || v->scaled) return LaneValue::Varies();
    if (v->shared) continue;
    if (!Fits(*v)) return a.IsShared() && b.IsShared() && c.IsShared() ? LaneValue::Shared() : LaneValue::Varies();
    low_bits = std::min(low_bits, v->aligned_bits);
  }
  const auto of = [&](const LaneValue& v, int l) { return v.shared.value_or(0) + v.lanes[l]; };
  const auto combine = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
    std::int64_t out = 0;
    for (unsigned n = 0; n < 8; ++n)
      if (table >> n & 1) out |= (n & 4 ? x : ~x) & (n & 2 ? y : ~y) & (n & 1 ? z : ~z);
    return out;
  };
  std::optional<std::int64_t> below;
  // x & mask
  for (const LaneValue* v : operands)
    if (table == 0xc0 && v != &c && IsExact(*v) && v->IsShared() && of(*v, 0) >= 0) below = of(*v, 0) + 1;
  Lanes lanes;
  if (low_bits == LaneValue::kExactBits) {
    for (int l = 0; l < kWarpLanes; ++l) lanes[l] = combine(of(a, l), of(b, l), of(c, l));
    LaneValue exact = LaneValue::OfLanes(lanes);
    if (exact.IsShared()) return LaneValue::Number(lanes[0]);
    exact.below = below;
    return exact;
  }
  // Above the low bits, which the shared parts of all leave free, all lanes must have the same.
  const std::int64_t mask = (std::int64_t{1} << low_bits) - 1;
  for (const LaneValue* v : operands)
    if (!v->shared) {
      if (std::ranges::any_of(v->lanes, [&](std::int64_t n) { return n > mask; })) return LaneValue::Varies();
    } else {
      for (int l = 1; l < kWarpLanes; ++l)
        if ((of(*v, l) & ~mask) != (of(*v, 0) & ~mask)) return LaneValue::Varies();
    }
  for (int l = 0; l < kWarpLanes; ++l) lanes[l] = combine(of(a, l), of(b, l), of(c, l)) & mask;
  LaneValue result = LaneValue::OfLanes(lanes, low_bits);
  // What a mask leaves of the shared part may be nothing, or a multiple of more.
  if (below && *below - 1 <= mask) {
    result = LaneValue::OfLanes(lanes);
    if (result.IsShared()) return LaneValue::Number(lanes[0]);
  }
  result.below = below;
  return result;
}

}  // namespace culprit
