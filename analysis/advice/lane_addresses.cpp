// SPDX-License-Identifier: Apache-2.0
#include "analysis/advice/lane_addresses.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <set>
#include <utility>

#include "analysis/blame/walk_budget.h"
#include "analysis/kernel/operation.h"

namespace culprit {
namespace {

constexpr int kGeneral = 256, kUniform = 256;  // registers of each file
constexpr int kPointerBits = 8;                // cudaMalloc aligns to 256 bytes
constexpr int kWarp = kWarpLanes;
constexpr std::size_t kMostBlocks = std::size_t{1} << 15;  // a quarter of a gigabyte of registers

// Special registers, as NAK numbers them; their names are what the disassembler prints.
constexpr unsigned kLaneId = 0x00, kThreadX = 0x21, kThreadZ = 0x23, kBlockX = 0x25, kBlockZ = 0x27,
                   kClusterBlock = 0x88,  // where sm_90 and later find the block's window of shared memory
    kZero = 0xff;

// Of which blocks share what none of them writes: there are as many sets of registers as blocks.
using Registers = std::vector<std::shared_ptr<const LaneValue>>;

// Bits of an instruction.
class Word {
 public:
  explicit Word(const MachineInstruction& i) : low_(i.low), high_(i.high) {}
  std::uint64_t Bits(int first, int count) const {
    std::uint64_t value = first >= 64 ? high_ >> (first - 64) : low_ >> first;
    if (first < 64 && first + count > 64) value |= high_ << (64 - first);
    return value & ((std::uint64_t{1} << count) - 1);
  }
  bool Bit(int n) const { return Bits(n, 1) != 0; }
  unsigned Opcode() const { return static_cast<unsigned>(Bits(0, 9)); }
  unsigned Form() const { return static_cast<unsigned>(Bits(9, 3)); }

 private:
  std::uint64_t low_, high_;
};

class Follower {
 public:
  Follower(std::span<const MachineInstruction> code, std::span<const SassInstruction> decoded, const FlowGraph& graph,
           const BlockShape& block)
      : code_(code), decoded_(decoded), graph_(graph), block_(block) {}

  std::vector<LaneValue> Follow() {
    std::vector<LaneValue> addresses(code_.size());
    if (graph_.blocks.empty() || graph_.blocks.size() > kMostBlocks) return addresses;
    WalkBudget budget;
    std::vector<Registers> entering(graph_.blocks.size());
    entering[0].assign(kGeneral + kUniform, std::make_shared<const LaneValue>(LaneValue::Nothing()));
    // In the order of the code, in which most values come before their uses.
    std::set<int> open = {0};
    while (!open.empty()) {
      const int b = *open.begin();
      open.erase(open.begin());
      const std::int64_t joins = std::ssize(graph_.blocks[b].successors) * (kGeneral + kUniform);
      if (!budget.Take(joins + graph_.blocks[b].last - graph_.blocks[b].first)) return addresses;
      Registers now = entering[b];
      for (int i = graph_.blocks[b].first; i <= graph_.blocks[b].last; ++i) Step(i, now);
      for (const int to : graph_.blocks[b].successors) {
        bool changed = false;
        if (entering[to].empty()) {
          entering[to] = now;
          changed = true;
        } else {
          for (std::size_t r = 0; r < now.size(); ++r) {
            if (entering[to][r] == now[r]) continue;
            LaneValue joined = Join(*entering[to][r], *now[r]);
            if (joined == *entering[to][r]) continue;
            entering[to][r] = joined == *now[r] ? now[r] : std::make_shared<const LaneValue>(std::move(joined));
            changed = true;
          }
        }
        if (changed) open.insert(to);
      }
    }
    for (std::size_t b = 0; b < graph_.blocks.size(); ++b) {
      if (entering[b].empty()) continue;
      Registers now = std::move(entering[b]);
      for (int i = graph_.blocks[b].first; i <= graph_.blocks[b].last; ++i) {
        if (decoded_[i].address) addresses[i] = AddressOf(i, now);
        Step(i, now);
      }
    }
    return addresses;
  }

 private:
  const LaneValue& Get(const Registers& now, bool uniform, int number) const {
    static const LaneValue zero = LaneValue::Number(0);
    if (uniform ? number >= last_uniform_ : number == 255) return zero;
    return *now[(uniform ? kGeneral : 0) + number];
  }

  // A register that nothing of this function wrote: a caller's, or one of the ABI.
  static LaneValue Read(const LaneValue& v) { return v.kind == LaneValue::Kind::kNothing ? LaneValue::Varies() : v; }

  LaneValue AddressOf(int i, const Registers& now) const {
    const SassAddress& address = *decoded_[i].address;
    LaneValue at = LaneValue::Number(0);
    if (address.base >= 0) at = Add(at, Read(Get(now, false, address.base)));
    if (address.uniform_base >= 0) at = Add(at, Read(Get(now, true, address.uniform_base)));
    return at;
  }

  // What a launch passes in the constant bank.
  LaneValue Constant(unsigned bank, unsigned offset, int bytes) const {
    if (bank == 0 && bytes == 4) {
      const int known[] = {block_.x, block_.y, block_.z};
      if (offset <= 8 && offset % 4 == 0 && known[offset / 4] > 0) return LaneValue::Number(known[offset / 4]);
    }
    LaneValue v = LaneValue::Shared(bytes == 8 ? kPointerBits : 0);
    v.pointer = bytes == 8;
    return v;
  }

  // The source at bit 32.
  LaneValue SlotX(const Word& w, const Registers& now, bool uniform) const {
    switch (w.Form()) {
      case 1:
        return Read(Get(now, uniform, static_cast<int>(w.Bits(32, 8))));
      case 2:
      case 4:
        return LaneValue::Number(static_cast<std::int32_t>(w.Bits(32, 32)));
      case 3:
      case 5:
        if (w.Bit(91)) return LaneValue::Shared();
        return Constant(static_cast<unsigned>(w.Bits(54, 5)), static_cast<unsigned>(w.Bits(38, 16)), 4);
      case 6:
      case 7:
        return Read(Get(now, true, static_cast<int>(w.Bits(32, 8))));
      default:
        return LaneValue::Varies();
    }
  }

  struct Sources {
    LaneValue a, b, c;
  };
  // Of an instruction with three sources.
  Sources Three(const Word& w, const Registers& now, bool uniform) const {
    const bool swapped = w.Form() == 2 || w.Form() == 3 || w.Form() == 7;
    LaneValue x = SlotX(w, now, uniform);
    LaneValue y = Read(Get(now, uniform, static_cast<int>(w.Bits(64, 8))));
    Sources s{Read(Get(now, uniform, static_cast<int>(w.Bits(24, 8)))), std::move(x), std::move(y)};
    if (swapped) std::swap(s.b, s.c);
    return s;
  }
  // Whether the source named b is no number, whose highest bit would be its sign.
  static bool NegatesB(const Word& w) {
    const bool number = w.Form() == 2 || w.Form() == 4;
    return !number && w.Bit(63);
  }

  LaneValue ThreadIndex(int axis) const {
    const int x = block_.x, y = block_.y, z = block_.z;
    if (x <= 0 || y <= 0 || z <= 0) return LaneValue::Varies();
    Lanes lanes;
    if (x * y * z <= kWarp || x % kWarp == 0 || kWarp % x == 0) {
      for (int l = 0; l < kWarp; ++l) {
        const int of[] = {l % x, l / x % y, l / x / y};
        lanes[l] = of[axis];
      }
      LaneValue v = LaneValue::OfLanes(lanes);
      const int extent[] = {x, y, z};
      if (x * y * z > kWarp) {
        // Which warp it is adds a multiple of the lanes' extent along this axis.
        if (axis == 0 && x % kWarp == 0 && x > kWarp) v = LaneValue::OfLanes(lanes, std::countr_zero(unsigned{kWarp}));
        if (axis == 0 && x <= kWarp) v = LaneValue::OfLanes(lanes);
        if (axis == 1) {
          if (x >= kWarp) {
            v = LaneValue::Shared();
          } else if (const int rows = kWarp / x; y % rows == 0) {
            v = LaneValue::OfLanes(lanes,
                                   y == rows ? LaneValue::kExactBits : std::countr_zero(static_cast<unsigned>(rows)));
          } else {
            return LaneValue::Varies();
          }
          if (y == 1) v = LaneValue::Number(0);
        }
        if (axis == 2) {
          if (z == 1) return LaneValue::Number(0);
          if (x * y % kWarp != 0) return LaneValue::Varies();
          v = LaneValue::Shared();
        }
      }
      v.below = extent[axis];
      return v;
    }
    if (y == 1 && axis == 1) return LaneValue::Number(0);
    if (z == 1 && axis == 2) return LaneValue::Number(0);
    return LaneValue::Varies();
  }

  LaneValue Special(unsigned which) const {
    if (which == kLaneId) {
      Lanes lanes;
      for (int l = 0; l < kWarp; ++l) lanes[l] = l;
      LaneValue v = LaneValue::OfLanes(lanes);
      v.below = kWarp;
      return v;
    }
    if (which >= kThreadX && which <= kThreadZ) return ThreadIndex(static_cast<int>(which - kThreadX));
    if (which >= kBlockX && which <= kBlockZ) {
      LaneValue v = LaneValue::Shared();
      v.below = std::int64_t{1} << 31;
      return v;
    }
    if (which == kZero) return LaneValue::Number(0);
    if (which == kClusterBlock) return LaneValue::Shared();
    return LaneValue::Varies();
  }

  // The low register of what an instruction writes.
  LaneValue Result(int i, const Word& w, const Registers& now) const {
    const SassInstruction& decoded = decoded_[i];
    const unsigned opcode = w.Opcode();
    const bool uniform = opcode >= 0x080 && opcode < 0x0c0;
    const bool extended = w.Bit(74);
    switch (opcode) {
      case 0x002:
      case 0x082:
        return SlotX(w, now, uniform);
      case 0x024:
      case 0x0a4:
      case 0x025:
      case 0x0a5: {
        const bool wide = opcode == 0x025 || opcode == 0x0a5;
        if (!wide && extended) break;
        Sources s = Three(w, now, uniform);
        if (w.Bit(72) || NegatesB(w)) break;
        return Add(Multiplied(s.a, s.b), w.Bit(75) ? Negated(s.c) : s.c);
      }
      case 0x010:
      case 0x090: {
        if (extended) break;
        Sources s = Three(w, now, uniform);
        if (w.Bit(72)) s.a = Negated(s.a);
        if (w.Bit(75)) s.c = Negated(s.c);
        if (NegatesB(w)) s.b = Negated(s.b);
        return Add(Add(s.a, s.b), s.c);
      }
      case 0x036:  // VIADD
        return w.Bit(72) || NegatesB(w)
                   ? LaneValue::Varies()
                   : Add(Read(Get(now, false, static_cast<int>(w.Bits(24, 8)))), SlotX(w, now, false));
      case 0x011:
      case 0x091: {
        if (extended || w.Bit(72) || NegatesB(w)) break;
        Sources s = Three(w, now, uniform);
        const auto shift = static_cast<int>(w.Bits(75, 5));
        if (!w.Bit(80)) return Add(ShiftedLeft(s.a, shift), s.b);
        // LEA.HI: of the pair c:a shifted left, the upper word. Where c is a sign, or nothing.
        if (s.c.shared == 0 && s.c.IsShared() && s.a.below) return Add(ShiftedRight(s.a, 32 - shift), s.b);
        break;
      }
      case 0x012:
      case 0x092: {
        Sources s = Three(w, now, uniform);
        return Bitwise(static_cast<unsigned>(w.Bits(72, 8)), s.a, s.b, s.c);
      }
      case 0x019:
      case 0x099: {
        Sources s = Three(w, now, uniform);
        if (!s.b.IsShared() || !s.b.shared) break;
        const auto shift = static_cast<int>(*s.b.shared + s.b.lanes[0]);
        const bool right = w.Bit(76), high = w.Bit(80);
        const auto type = w.Bits(73, 2);  // S64, U64, S32, U32
        const auto is_zero = [](const LaneValue& v) { return v.IsShared() && v.shared && *v.shared + v.lanes[0] == 0; };
        if (!right && !high && (type >= 2 || is_zero(s.c) || shift < 32)) return ShiftedLeft(s.a, shift);
        if (right && high && type >= 2) return ShiftedRight(s.c, shift);
        break;
      }
      case 0x035:  // HFMA2.MMA of nothing: puts a number into a register
        if (w.Bits(24, 8) == 255 && (w.Form() == 2 || w.Form() == 4))
          return LaneValue::Number(static_cast<std::int32_t>(w.Bits(32, 32)));
        break;
      case 0x013: {  // IABS
        LaneValue v = SlotX(w, now, false);
        if (v.below) return v;
        break;
      }
      case 0x0ca:
        return Read(Get(now, false, static_cast<int>(w.Bits(24, 8))));
      case 0x007:
      case 0x087:
        return Join(Read(Get(now, uniform, static_cast<int>(w.Bits(24, 8)))), SlotX(w, now, uniform));
      case 0x119:
      case 0x1c3:
        return Special(static_cast<unsigned>(w.Bits(72, 8)));
      case 0x005:
        return Special(static_cast<unsigned>(w.Bits(72, 8)));
      case 0x182:
      case 0x0b9:
      case 0x1ac: {
        if (opcode == 0x182 && w.Bits(24, 8) != 255 &&
            !Read(Get(now, false, static_cast<int>(w.Bits(24, 8)))).IsShared())
          return LaneValue::Varies();
        return Constant(static_cast<unsigned>(w.Bits(54, 5)),
                        static_cast<unsigned>(opcode == 0x1ac ? w.Bits(37, 17) : w.Bits(38, 16)), decoded.access_bytes);
      }
      default:
        break;
    }
    return LikeItsSources(i, now);
  }

  // What all lanes do alike with values that all share is the same in all.
  LaneValue LikeItsSources(int i, const Registers& now) const {
    const SassInstruction& decoded = decoded_[i];
    switch (FindOperation(decoded.mnemonic).operation) {
      case Operation::kGlobalAtomic:
      case Operation::kSharedAtomic:
      case Operation::kShuffle:
      case Operation::kLocalLoad:
      case Operation::kTexture:
      case Operation::kSpecialRegister:
      case Operation::kTensor:
        return LaneValue::Varies();
      default:
        break;
    }
    if (!decoded.registers_known) return LaneValue::Varies();
    for (const RegisterRange& r : decoded.reads) {
      if (r.file == RegisterFile::kPredicate && !(decoded.guarded && r == decoded.reads.front()))
        return LaneValue::Varies();
      if (r.file == RegisterFile::kGeneral)
        for (int n = 0; n < r.count; ++n)
          if (!Read(Get(now, false, r.first + n)).IsShared()) return LaneValue::Varies();
    }
    return LaneValue::Shared();
  }

  void Step(int i, Registers& now) const {
    const SassInstruction& decoded = decoded_[i];
    bool first = true;
    LaneValue result, rest;
    for (const RegisterRange& r : decoded.writes) {
      const bool uniform = r.file == RegisterFile::kUniform;
      if (r.file != RegisterFile::kGeneral && !uniform) continue;
      if (first) {
        result = Result(i, Word(code_[i]), now);
        rest = uniform || result.IsShared() ? LaneValue::Shared() : LaneValue::Varies();
        if (uniform && !result.IsShared()) result = LaneValue::Shared();
        if (decoded.mnemonic == "CS2R" && result.IsShared() && result.shared) rest = result;
      }
      for (int n = 0; n < r.count; ++n) {
        std::shared_ptr<const LaneValue>& to = now[(uniform ? kGeneral : 0) + r.first + n];
        const LaneValue& value = first && n == 0 ? result : rest;
        // The upper word of a pair is no address that is followed further.
        to = std::make_shared<const LaneValue>(
            decoded.guarded && to->kind != LaneValue::Kind::kNothing ? Join(*to, value) : value);
      }
      first = false;
    }
  }

  std::span<const MachineInstruction> code_;
  std::span<const SassInstruction> decoded_;
  const FlowGraph& graph_;
  BlockShape block_;
  // Uniform registers have six bits, since sm_100 eight; the last is none.
  int last_uniform_ = ArchitectureOf(code_) >= 100 ? 255 : 63;
};

}  // namespace

std::vector<LaneValue> LaneAddresses(std::span<const MachineInstruction> code, std::span<const SassInstruction> decoded,
                                     const FlowGraph& graph, const BlockShape& block) {
  return Follower(code, decoded, graph, block).Follow();
}

}  // namespace culprit
