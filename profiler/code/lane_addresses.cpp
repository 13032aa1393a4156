// SPDX-License-Identifier: Apache-2.0
#include "profiler/code/lane_addresses.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <set>
#include <utility>

#include "profiler/code/operation.h"
#include "profiler/code/walk_budget.h"

namespace culprit {
namespace {

constexpr int kGeneral = 256, kUniform = 256;  // registers of each file
constexpr int kPointerBits = 8;                // cudaMalloc aligns to 256 bytes
constexpr int kWarp = kWarpLanes;
constexpr std::size_t kMostBlocks = std::size_t{1} << 15;  // a quarter of a gigabyte of registers

// Special registers, as NAK numbers them; their names are what the disassembler prints.
constexpr int kLaneId = 0x00, kThreadX = 0x21, kThreadZ = 0x23, kBlockX = 0x25, kBlockZ = 0x27,
              kClusterBlock = 0x88,  // where sm_90 and later find the block's window of shared memory
    kZero = 0xff;

// There are as many sets of registers as blocks: blocks share the values that none of them writes.
using Registers = std::vector<std::shared_ptr<const LaneValue>>;

class Follower {
 public:
  Follower(std::span<const SassInstruction> code, const FlowGraph& graph, const BlockShape& block)
      : code_(code), graph_(graph), block_(block) {}

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
        if (code_[i].address) addresses[i] = AddressOf(i, now);
        Step(i, now);
      }
    }
    return addresses;
  }

 private:
  // A register that nothing of this function wrote is a caller's, or one of the ABI.
  static LaneValue Get(const Registers& now, bool uniform, std::int64_t number) {
    const LaneValue& v = *now[(uniform ? kGeneral : 0) + number];
    return v.kind == LaneValue::Kind::kNothing ? LaneValue::Varies() : v;
  }

  LaneValue AddressOf(int i, const Registers& now) const {
    const SassAddress& address = *code_[i].address;
    LaneValue at = LaneValue::Number(0);
    if (address.base >= 0) at = Add(at, Get(now, false, address.base));
    if (address.uniform_base >= 0) at = Add(at, Get(now, true, address.uniform_base));
    return at;
  }

  // What a launch passes in the constant bank.
  LaneValue Constant(int bank, std::int64_t offset, int bytes) const {
    if (bank < 0) return LaneValue::Shared();
    if (bank == 0 && bytes == 4) {
      const int known[] = {block_.x, block_.y, block_.z};
      if (offset <= 8 && offset % 4 == 0 && known[offset / 4] > 0) return LaneValue::Number(known[offset / 4]);
    }
    LaneValue v = LaneValue::Shared(bytes == 8 ? kPointerBits : 0);
    v.pointer = bytes == 8;
    return v;
  }

  LaneValue Value(const SassSource& source, const Registers& now) const {
    const auto value = [&] {
      switch (source.kind) {
        case SassSource::Kind::kRegister:
        case SassSource::Kind::kUniform:
          return Get(now, source.kind == SassSource::Kind::kUniform, source.number);
        case SassSource::Kind::kNumber:
          return LaneValue::Number(source.number);
        case SassSource::Kind::kConstant:
          return Constant(source.bank, source.number, 4);
        case SassSource::Kind::kUnknown:
          break;
      }
      return LaneValue::Varies();
    };
    return source.negated ? Negated(value()) : value();
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

  LaneValue Special(int which) const {
    if (which == kLaneId) {
      Lanes lanes;
      for (int l = 0; l < kWarp; ++l) lanes[l] = l;
      LaneValue v = LaneValue::OfLanes(lanes);
      v.below = kWarp;
      return v;
    }
    if (which >= kThreadX && which <= kThreadZ) return ThreadIndex(which - kThreadX);
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
  LaneValue Result(const SassInstruction& instruction, const Registers& now) const {
    const SassArithmetic& it = instruction.arithmetic;
    const std::vector<SassSource>& sources = it.sources;
    const auto of = [&](std::size_t n) { return n < sources.size() ? Value(sources[n], now) : LaneValue::Number(0); };
    const bool of_negated =
        std::ranges::any_of(sources.begin(), sources.begin() + std::min<std::ptrdiff_t>(2, std::ssize(sources)),
                            [](const SassSource& source) { return source.negated; });
    switch (it.operation) {
      case SassInteger::kNone:
        break;
      case SassInteger::kMove:
        return of(0);
      case SassInteger::kAbsolute:
        if (LaneValue v = of(0); v.below) return v;
        break;
      case SassInteger::kSelect:
        return Join(of(0), of(1));
      case SassInteger::kAdd:
        if (it.extended) break;
        return Add(Add(of(0), of(1)), of(2));
      case SassInteger::kMultiplyAdd:
        if (it.extended || of_negated) break;
        return Add(Multiplied(of(0), of(1)), of(2));
      case SassInteger::kShiftAdd:
        if (it.extended || of_negated) break;
        if (!it.high) return Add(ShiftedLeft(of(0), it.shift), of(1));
        // Of the pair of the third and the first source shifted left, the upper word. Where the third is a sign, or 0.
        if (const LaneValue a = of(0), c = of(2); c.shared == 0 && c.IsShared() && a.below)
          return Add(ShiftedRight(a, 32 - it.shift), of(1));
        break;
      case SassInteger::kLogic:
        return Bitwise(it.truth_table, of(0), of(1), of(2));
      case SassInteger::kShift: {
        const LaneValue by = of(1), c = of(2);
        if (!by.IsShared() || !by.shared) break;
        const auto shift = static_cast<int>(*by.shared + by.lanes[0]);
        const bool without_c = it.of_words || shift < 32 || (c.IsShared() && c.shared && *c.shared + c.lanes[0] == 0);
        if (!it.right && !it.high && without_c) return ShiftedLeft(of(0), shift);
        if (it.right && it.high && it.of_words) return ShiftedRight(c, shift);
        break;
      }
      case SassInteger::kSpecial:
        return Special(it.special);
      case SassInteger::kConstant:
        if (sources.size() > 1 && sources[1].kind == SassSource::Kind::kRegister && !of(1).IsShared())
          return LaneValue::Varies();
        return Constant(sources[0].bank, sources[0].number, instruction.access_bytes);
    }
    return LikeItsSources(instruction, now);
  }

  // What all lanes do alike with values that all share is the same in all.
  static LaneValue LikeItsSources(const SassInstruction& instruction, const Registers& now) {
    switch (FindOperation(instruction.mnemonic).operation) {
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
    if (!instruction.registers_known) return LaneValue::Varies();
    for (const RegisterRange& r : instruction.reads) {
      if (r.file == RegisterFile::kPredicate && !(instruction.guarded && r == instruction.reads.front()))
        return LaneValue::Varies();
      if (r.file == RegisterFile::kGeneral)
        for (int n = 0; n < r.count; ++n)
          if (!Get(now, false, r.first + n).IsShared()) return LaneValue::Varies();
    }
    return LaneValue::Shared();
  }

  void Step(int i, Registers& now) const {
    const SassInstruction& instruction = code_[i];
    bool first = true;
    LaneValue result, rest;
    for (const RegisterRange& r : instruction.writes) {
      const bool uniform = r.file == RegisterFile::kUniform;
      if (r.file != RegisterFile::kGeneral && !uniform) continue;
      if (first) {
        result = Result(instruction, now);
        rest = uniform || result.IsShared() ? LaneValue::Shared() : LaneValue::Varies();
        if (uniform && !result.IsShared()) result = LaneValue::Shared();
        if (instruction.mnemonic == "CS2R" && result.IsShared() && result.shared) rest = result;
      }
      for (int n = 0; n < r.count; ++n) {
        std::shared_ptr<const LaneValue>& to = now[(uniform ? kGeneral : 0) + r.first + n];
        const LaneValue& value = first && n == 0 ? result : rest;
        // The upper word of a pair is no address that is followed further.
        to = std::make_shared<const LaneValue>(
            instruction.guarded && to->kind != LaneValue::Kind::kNothing ? Join(*to, value) : value);
      }
      first = false;
    }
  }

  std::span<const SassInstruction> code_;
  const FlowGraph& graph_;
  BlockShape block_;
};

}  // namespace

std::vector<LaneValue> LaneAddresses(std::span<const SassInstruction> code, const FlowGraph& graph,
                                     const BlockShape& block) {
  return Follower(code, graph, block).Follow();
}

}  // namespace culprit
