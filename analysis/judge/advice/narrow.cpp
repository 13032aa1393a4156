// SPDX-License-Identifier: Apache-2.0
// Narrow accesses that could have 16 bytes: several accesses of one thread to neighbouring addresses, or one access per
// thread if the block walks through contiguous memory.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "analysis/judge/advice/kinds.h"
#include "profiler/code/asynchronous.h"

namespace culprit::advice {
namespace {

constexpr int kWidest = 16;

bool IsPlain(const AdviceCode& code, int i) {
  switch (code.OperationAt(i)) {
    case Operation::kGlobalLoad:
    case Operation::kGlobalStore:
    case Operation::kSharedLoad:
    case Operation::kSharedStore:
      break;
    default:
      return false;
  }
  return code.At(i).mnemonic != "LDSM" && code.At(i).mnemonic != "STSM" && code.At(i).access_bytes > 0 &&
         !code.At(i).guarded;
}
bool IsGlobal(const AdviceCode& code, int i) {
  return code.OperationAt(i) == Operation::kGlobalLoad || code.OperationAt(i) == Operation::kGlobalStore;
}
bool IsStore(const AdviceCode& code, int i) {
  return code.OperationAt(i) == Operation::kGlobalStore || code.OperationAt(i) == Operation::kSharedStore;
}

// Whether accesses before and after this instruction cannot be combined.
bool Parts(const AdviceCode& code, int i, bool global, bool store) {
  switch (code.OperationAt(i)) {
    case Operation::kGlobalAtomic:
    case Operation::kGenericStore:
    case Operation::kFence:
      return true;
    case Operation::kBarrier:
      return IsBarrier(code.At(i));
    case Operation::kGlobalStore:
      return global && !store;
    case Operation::kSharedStore:
    case Operation::kSharedAtomic:
      return !global && !store;
    case Operation::kGlobalLoad:
      return global && store;
    case Operation::kSharedLoad:
      return !global && store;
    default:
      return false;
  }
}

bool IsMultiple(const LaneValue& v, int bytes) {
  return v.IsKnown() && !v.scaled && (1 << std::min(v.aligned_bits, 20)) >= bytes &&
         std::ranges::all_of(v.lanes, [&](std::int64_t n) { return n % bytes == 0; });
}

// Accesses of one kind through one register with an unchanged value. Only these can be neighbours.
struct Run {
  int base = 0, uniform = 0, bytes = 0;
  std::string mnemonic;
  std::vector<int> accesses;
};

std::vector<Run> RunsOf(const AdviceCode& code, const BasicBlock& block) {
  std::vector<Run> done, open;
  const auto close = [&](auto which) {
    for (Run& run : open)
      if (which(run)) done.push_back(std::move(run));
    std::erase_if(open, [&](const Run& run) { return run.accesses.empty() || which(run); });
  };
  for (int i = block.first; i <= block.last; ++i) {
    close([&](const Run& run) {
      const int of = run.accesses.empty() ? i : run.accesses.front();
      return Parts(code, i, IsGlobal(code, of), IsStore(code, of));
    });
    if (IsPlain(code, i) && code.At(i).address) {
      const SassAddress& a = *code.At(i).address;
      const auto same = std::ranges::find_if(open, [&](const Run& run) {
        return run.base == a.base && run.uniform == a.uniform_base && run.bytes == code.At(i).access_bytes &&
               run.mnemonic == code.At(i).mnemonic;
      });
      if (same != open.end())
        same->accesses.push_back(i);
      else
        open.push_back({a.base, a.uniform_base, code.At(i).access_bytes, code.At(i).mnemonic, {i}});
    }
    for (const RegisterRange& r : code.At(i).writes)
      close([&](const Run& run) {
        const int number = r.file == RegisterFile::kGeneral   ? run.base
                           : r.file == RegisterFile::kUniform ? run.uniform
                                                              : -1;
        return number >= r.first && number < r.first + r.count;
      });
  }
  close([](const Run&) { return true; });
  return done;
}

// The accesses of a run that can be combined into accesses of 16 or 8 bytes.
struct Together {
  std::vector<int> accesses = {};
  int wide = 0;  // the number of combined accesses
  int bytes = 0;
};

Together TogetherOf(const AdviceCode& code, const Run& run) {
  Together best;
  for (int width = kWidest; width > run.bytes; width /= 2) {
    if (!IsMultiple(code.AddressAt(run.accesses.front()), width)) continue;
    std::map<std::int64_t, std::vector<int>> groups;  // by combined access
    std::map<std::int64_t, int> filled;
    for (const int i : run.accesses) {
      const std::int64_t offset = code.At(i).address->offset;
      groups[offset >= 0 ? offset / width : -((-offset + width - 1) / width)].push_back(i);
    }
    Together found{.bytes = width};
    for (const auto& [group, members] : groups) {
      std::vector<std::int64_t> offsets;
      for (const int i : members) offsets.push_back(code.At(i).address->offset);
      std::ranges::sort(offsets);
      offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
      if (static_cast<int>(offsets.size()) * run.bytes != width) continue;  // all its bytes must be accessed
      found.accesses.insert(found.accesses.end(), members.begin(), members.end());
      ++found.wide;
    }
    if (found.accesses.size() > best.accesses.size()) best = std::move(found);
    if (!best.accesses.empty()) break;
  }
  return best;
}

}  // namespace

std::vector<Advice> NarrowNeighbours(const AdviceCode& code) {
  struct Found {
    std::vector<int> accesses;
    int wide = 0, bytes = 0, narrow = 0;
    bool pointer = false;
  };
  // Accesses of one kind and width are one piece of advice, on all lines together.
  std::map<std::tuple<std::string, std::string, int, int>, Found> by_kind;
  for (const BasicBlock& block : code.graph().blocks) {
    if (!block.reached) continue;
    for (const Run& run : RunsOf(code, block)) {
      const Together together = TogetherOf(code, run);
      if (together.accesses.empty()) continue;
      const SourceFrame line = code.LineOf(together.accesses.front());
      Found& found = by_kind[{line.file, run.mnemonic, run.bytes, together.bytes}];
      found.accesses.insert(found.accesses.end(), together.accesses.begin(), together.accesses.end());
      found.wide += together.wide;
      found.bytes = std::max(found.bytes, together.bytes);
      found.narrow = run.bytes;
      found.pointer |= code.AddressAt(run.accesses.front()).pointer;
    }
  }
  std::vector<Advice> all;
  for (auto& [kind, found] : by_kind) {
    std::ranges::sort(found.accesses);
    Advice advice = code.About(found.accesses);
    advice.finding = fmt::format("{} accesses of {} bytes lie beside each other; {} of up to {} bytes would do",
                                 found.accesses.size(), found.narrow, found.wide, found.bytes);
    advice.action = fmt::format(
        "read or write {} at once through a pointer to {}{}", found.bytes == kWidest ? "16 bytes" : "8 bytes",
        found.bytes == kWidest ? "float4 or uint4" : "float2 or uint2",
        found.pointer ? fmt::format(", where the array begins at a multiple of {}", found.bytes) : "");
    all.push_back(std::move(advice));
  }
  return all;
}

namespace {

// Whether neighbouring lanes access neighbouring elements of this many bytes.
bool LanesBeside(const LaneValue& v, int bytes) {
  if (!v.IsKnown() || v.scaled) return false;
  for (int l = 0; l < kWarpLanes; ++l)
    if (v.lanes[l] != std::int64_t{l} * bytes) return false;
  return true;
}

// Whether the loaded value goes to other threads, through shared memory or a shuffle, so it is not the thread's own.
bool IsShared(const AdviceCode& code, int load) {
  for (const RegisterRange& r : code.At(load).writes) {
    if (r.file != RegisterFile::kGeneral) continue;
    for (const int reader : code.Readers(load, r)) {
      const Operation operation = code.OperationAt(reader);
      if (operation == Operation::kSharedStore || operation == Operation::kShuffle) return true;
    }
  }
  return false;
}

// The distance by which a trip of the loop moves the address: a sum of constants. None if it is not constant.
std::optional<std::int64_t> MovedBy(const AdviceCode& code, int access, int loop) {
  const std::vector<RegisterRange> registers = code.AddressRegisters(access);
  if (registers.empty()) return std::nullopt;
  const int base = registers.front().first;
  std::optional<std::int64_t> moved;
  // The address may be copied before it is moved, or computed from an index that is moved.
  for (const int i :
       code.MadeOf(access, {{RegisterFile::kGeneral, base, 1}}, [&](int i) { return !code.IsIn(i, loop); })) {
    if (!code.IsIn(i, loop)) continue;
    const SassInstruction& s = code.At(i);
    const bool adds = s.mnemonic == "IADD3" || s.mnemonic == "VIADD" || s.mnemonic == "IADD" || s.mnemonic == "UIADD3";
    if (!adds && s.mnemonic != "MOV" && s.mnemonic != "IMAD") return std::nullopt;
    if (!adds || !code.FeedsItself(i)) continue;
    // Values in registers or the constant bank are known only at run time. The offset in the bank is also a number, so
    // operands with brackets are skipped.
    const auto at = s.operands.find('[') == std::string::npos ? s.operands.rfind("0x") : std::string::npos;
    if (moved || at == std::string::npos) return std::nullopt;
    moved = std::stoll(s.operands.substr(at), nullptr, 16);
    if (*moved > 0x7fffffff) *moved -= std::int64_t{1} << 32;
  }
  return moved;
}

// Loads get this advice if warps wait for them for at least this share of the kernel's time. Below it, other things
// dominate the kernel.
constexpr double kMostWaiting = 0.5;

}  // namespace

std::vector<Advice> NarrowElements(const AdviceCode& code) {
  const BlockShape& block = code.question().block;
  const auto& warps = code.question().warps_per_sm;
  const auto& enough = code.question().bytes_under_way;
  if (block.x < kWarpLanes || block.y != 1 || block.z != 1 || !warps || !enough) return {};
  // By loop (-1: code outside of loops). All accesses to global memory must be of this kind.
  std::map<int, std::vector<int>> by_loop;
  for (int i = 0; i < code.Size(); ++i) {
    const Operation operation = code.OperationAt(i);
    const bool other = operation == Operation::kGlobalAtomic || operation == Operation::kGenericLoad ||
                       operation == Operation::kGenericStore || code.At(i).mnemonic == "LDGSTS";
    if ((IsGlobal(code, i) || other) && code.graph().blocks[code.BlockOf(i)].reached)
      by_loop[code.LoopOf(i)].push_back(i);
  }
  std::vector<Advice> all;
  for (const auto& [loop, accesses] : by_loop) {
    double waiting = 0, bytes = 0;
    int width = 0;
    bool fits = true;
    std::vector<int> loads;
    for (const int i : accesses) {
      if (!IsGlobal(code, i)) {
        fits = false;
        break;
      }
      const int own = code.At(i).access_bytes;
      if (width == 0) width = own;
      fits &= own == width && own <= 4 && !code.At(i).guarded && LanesBeside(code.AddressAt(i), own);
      if (IsStore(code, i)) continue;
      fits &= !IsShared(code, i);
      loads.push_back(i);
      waiting += code.BlamedUs(i, "long_scoreboard") + code.BlamedUs(i, "lg_throttle");
      bytes += own * kWarpLanes;
    }
    if (!fits || loads.empty() || waiting < kMostWaiting * code.TimeUs()) continue;
    if (loop >= 0) {
      // The block walks through contiguous memory if a trip moves the address by the bytes that its threads access.
      std::map<int, std::int64_t> moved_by;  // by address register
      const std::int64_t each = std::int64_t{block.x} * width;
      for (const int i : loads) {
        const auto moved = MovedBy(code, i, loop);
        fits &= moved && *moved > 0 && *moved % each == 0 && *moved / each <= static_cast<std::int64_t>(loads.size());
        if (moved) moved_by[code.At(i).address->base] = *moved;
      }
      if (!fits) continue;
      // A trip reads only the distance that it moves from device memory. Overlapping loads find the rest in caches.
      double anew = 0;
      for (const auto& [base, moved] : moved_by) anew += static_cast<double>(moved) * kWarpLanes / block.x;
      bytes = std::min(bytes, anew);
    }
    if (*warps * bytes >= *enough) continue;
    Advice advice = code.About(accesses);
    advice.certain = false;
    advice.finding = fmt::format(
        "each access takes {} byte{} of a thread and {} of a warp, beside those of the next: the {:.0f} warps of an SM "
        "have "
        "{:.1f} KB under way, and device memory takes {:.1f} KB to be busy",
        width, width == 1 ? "" : "s", width * kWarpLanes, *warps, *warps * bytes / 1000, *enough / 1000);
    advice.action =
        fmt::format("where its elements are independent a thread may take {} neighbours with one access of 16 bytes",
                    kWidest / width);
    all.push_back(std::move(advice));
  }
  return all;
}

}  // namespace culprit::advice
