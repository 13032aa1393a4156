// SPDX-License-Identifier: Apache-2.0
// Loads in loops with results that are needed at once. They run one after the other although they are independent, or
// because each load gives the address of the next.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "analysis/judge/advice/kinds.h"
#include "profiler/code/asynchronous.h"

namespace culprit::advice {
namespace {

// Loads get advice if warps wait for them for at least this share of the kernel's time. Other warps hide shorter
// waiting.
constexpr double kWorthWaiting = 0.15;
constexpr std::string_view kLong = "long_scoreboard";

using IsOne = bool (*)(const AdviceCode&, int);
bool IsLoad(const AdviceCode& code, int i) {
  const Operation operation = code.OperationAt(i);
  return operation == Operation::kGlobalLoad || code.At(i).mnemonic == "LDGSTS";
}
bool IsSharedLoad(const AdviceCode& code, int i) { return code.OperationAt(i) == Operation::kSharedLoad; }

// The instructions of a loop, in the order of the code, and the first use of each load's result.
struct Trip {
  std::vector<int> instructions;
  struct Load {
    int instruction = 0;
    int at = 0, needed = 0;  // indices in `instructions`
    bool next_trip = false;  // the first use is in the next trip
  };
  std::vector<Load> loads;
};

// Loop -1: the code outside of loops, which has one trip.
Trip TripOf(const AdviceCode& code, int loop, IsOne is = IsLoad) {
  Trip trip;
  if (loop >= 0)
    for (const int i : code.InstructionsOf(loop))
      if (code.LoopOf(i) == loop) trip.instructions.push_back(i);
  for (int i = 0; loop < 0 && i < code.Size(); ++i)
    if (code.LoopOf(i) < 0) trip.instructions.push_back(i);
  const int size = static_cast<int>(trip.instructions.size());
  for (int at = 0; at < size; ++at) {
    const int i = trip.instructions[at];
    if (!is(code, i)) continue;
    std::set<int> uses;
    if (code.At(i).mnemonic == "LDGSTS") {
      // Copies are waited for at a DEPBAR: LDGDEPBAR, which closes their group, sets its scoreboard.
      for (const int n : trip.instructions)
        if (code.At(n).mnemonic == "DEPBAR") uses.insert(n);
    } else {
      for (const RegisterRange& r : code.At(i).writes)
        if (r.file == RegisterFile::kGeneral)
          for (const int reader : code.Readers(i, r)) uses.insert(reader);
    }
    for (int step = 1; step <= (loop < 0 ? size - 1 - at : size); ++step) {
      const int place = (at + step) % size;
      if (!uses.contains(trip.instructions[place])) continue;
      trip.loads.push_back({i, at, place, at + step >= size});
      break;
    }
  }
  return trip;
}

double BytesOf(const AdviceCode& code, int i) {
  const int bytes = std::max(1, code.At(i).access_bytes);
  // If all lanes load the same address, it is fetched once.
  return code.AddressAt(i).IsShared() ? bytes : bytes * kWarpLanes;
}

// The loads in flight in a warp when the first of their results is needed.
struct UnderWay {
  int loads = 0;
  double bytes = 0;
};
UnderWay MostUnderWay(const AdviceCode& code, const Trip& trip) {
  UnderWay most;
  for (const Trip::Load& first : trip.loads) {
    UnderWay now;
    for (const Trip::Load& other : trip.loads)
      if (!other.next_trip && other.at < first.needed && other.needed >= first.needed) {
        ++now.loads;
        now.bytes += BytesOf(code, other.instruction);
      }
    most = {std::max(most.loads, now.loads), std::max(most.bytes, now.bytes)};
  }
  return most;
}

// Whether the address of `load` depends on loads of the loop, such as itself in the previous trip.
bool HangsOnLoads(const AdviceCode& code, int load, int loop, IsOne is = IsLoad) {
  const auto is_load = [&](int i) {
    return IsLoad(code, i) || code.OperationAt(i) == Operation::kSharedLoad ||
           code.OperationAt(i) == Operation::kLocalLoad;
  };
  // No trip waits for values from before the loop.
  const auto is_in = [&](int i) { return loop < 0 || code.IsIn(i, loop); };
  const auto ends = [&](int i) { return is_load(i) || !is_in(i); };
  return std::ranges::any_of(code.MadeOf(load, code.AddressRegisters(load), ends),
                             [&](int i) { return is(code, i) && is_in(i); });
}

// The reason why the compiler cannot move the load to an earlier place.
enum class Fence { kNone, kStore, kBarrier };
Fence FenceBefore(const AdviceCode& code, const Trip& trip, const Trip::Load& load) {
  const int block = code.BlockOf(load.instruction);
  for (int at = load.at - 1; at >= 0 && code.BlockOf(trip.instructions[at]) == block; --at) {
    const int i = trip.instructions[at];
    const Operation operation = code.OperationAt(i);
    if (IsBarrier(code.At(i))) return Fence::kBarrier;
    if (operation == Operation::kGlobalStore || operation == Operation::kGenericStore) return Fence::kStore;
  }
  return Fence::kNone;
}

struct Waited {
  double us = 0;
  std::vector<int> loads;
};

// Whether the waiting for all loads of a loop is large enough to examine each load, which takes time.
bool IsWorthALook(const AdviceCode& code, int loop) {
  double us = 0;
  for (const int i : code.InstructionsOf(loop))
    if (code.LoopOf(i) == loop && IsLoad(code, i)) us += code.BlamedUs(i, kLong);
  return us >= kWorthWaiting * code.TimeUs();
}

// How many of a trip's loads are in flight at once, and whether they depend on each other.
std::vector<ShownCode> UnderWayOf(std::string_view cause, const AdviceCode& code, IsOne is,
                                  std::span<const std::string_view> reasons) {
  std::vector<ShownCode> all;
  for (int loop = -1; loop < static_cast<int>(code.graph().loops.size()); ++loop) {
    const Trip trip = TripOf(code, loop, is);
    std::vector<int> loads;
    int dependent = 0, later = 0, nearest = 1 << 30;
    double us = 0, most_us = 0;
    ShownCode shown{cause};
    for (const Trip::Load& load : trip.loads) {
      double waited = 0;
      for (const std::string_view reason : reasons) waited += code.BlamedUs(load.instruction, reason);
      if (loads.empty() || waited > most_us) {
        shown.at = code.LineOf(load.instruction);
        most_us = waited;
      }
      us += waited;
      loads.push_back(load.instruction);
      later += load.next_trip;
      if (!load.next_trip) nearest = std::min(nearest, load.needed - load.at);
    }
    if (!(us > 0)) continue;  // the next step takes time
    for (const int load : loads) dependent += HangsOnLoads(code, load, loop, is);
    const int number = static_cast<int>(loads.size());
    const UnderWay most = MostUnderWay(code, trip);
    shown.us = us;
    shown.text = code.Describe(loads);
    if (later < number)
      shown.text += fmt::format(", at most {} under way in a warp when the first is needed, {} instruction{} later",
                                most.loads, nearest, nearest == 1 ? "" : "s");
    if (later > 0)
      shown.text += fmt::format(", {} needed a trip later", later == number ? "all" : fmt::format("{}", later));
    shown.text += dependent == 0        ? "; none needs what another fetched"
                  : dependent == number ? "; each needs what another fetched"
                                        : fmt::format("; {} of {} need what another fetched", dependent, number);
    all.push_back(std::move(shown));
  }
  return all;
}

}  // namespace

std::vector<Advice> EarlyLoads(const AdviceCode& code) {
  std::vector<Advice> all;
  for (int loop = 0; loop < static_cast<int>(code.graph().loops.size()); ++loop) {
    if (!IsWorthALook(code, loop)) continue;
    const Trip trip = TripOf(code, loop);
    Waited waited;
    int behind_stores = 0, behind_barriers = 0;
    bool copies = false;
    int nearest = 1 << 30;
    for (const Trip::Load& load : trip.loads) {
      const double us = code.BlamedUs(load.instruction, kLong);
      if (load.next_trip || !(us > 0) || HangsOnLoads(code, load.instruction, loop)) continue;
      waited.us += us;
      waited.loads.push_back(load.instruction);
      nearest = std::min(nearest, load.needed - load.at);
      const Fence fence = FenceBefore(code, trip, load);
      behind_stores += fence == Fence::kStore;
      behind_barriers += fence == Fence::kBarrier;
      copies |= code.At(load.instruction).mnemonic == "LDGSTS";
    }
    if (waited.us < kWorthWaiting * code.TimeUs()) continue;
    const double bytes = MostUnderWay(code, trip).bytes;
    const auto& warps = code.question().warps_per_sm;
    const auto& enough = code.question().bytes_under_way;
    if (warps && enough && *warps * bytes >= *enough) continue;
    Advice advice = code.About(waited.loads);
    advice.waited_us = waited.us;
    const int loads = static_cast<int>(waited.loads.size());
    advice.finding =
        copies ? fmt::format("copies are waited for {} instruction{} after they are asked for", nearest,
                             nearest == 1 ? "" : "s")
               : fmt::format("what is loaded is needed {} instruction{} later", nearest, nearest == 1 ? "" : "s");
    if (warps && enough)
      advice.finding += fmt::format(
          ": a warp has {:.0f} bytes under way, the {:.0f} warps of an SM {:.1f} KB, and device memory takes {:.1f} KB "
          "to be busy",
          bytes, *warps, *warps * bytes / 1000, *enough / 1000);
    else
      advice.certain = false;
    if (copies) {
      advice.action = "wait for the copies behind the work that does not need them, a trip later";
    } else if (2 * behind_stores >= loads && loads > 1) {
      advice.finding += "; stores stand between the loads, which may not pass them";
      advice.action =
          "declare the pointers __restrict__ where they do not overlap, or load several values before the first is "
          "stored";
    } else if (2 * behind_barriers >= loads) {
      advice.finding += "; a barrier stands before, which no load passes";
      advice.action = "load for the next steps before the barrier, into registers";
    } else {
      advice.action =
          fmt::format("{} load the next trip's values before this one's are used",
                      advice.certain ? "unroll the loop so that several loads are under way, or"
                                     : "it may help to unroll the loop so that several loads are under way, or to");
    }
    all.push_back(std::move(advice));
  }
  return all;
}

std::vector<Advice> LoadChains(const AdviceCode& code) {
  std::vector<Advice> all;
  for (int loop = 0; loop < static_cast<int>(code.graph().loops.size()); ++loop) {
    if (!IsWorthALook(code, loop)) continue;
    Waited waited;
    for (const int i : code.InstructionsOf(loop)) {
      if (code.LoopOf(i) != loop || !IsLoad(code, i) || !HangsOnLoads(code, i, loop)) continue;
      waited.us += code.BlamedUs(i, kLong);
      waited.loads.push_back(i);
    }
    if (waited.us < kWorthWaiting * code.TimeUs()) continue;
    // Loads that no warp waits for do not delay the loop.
    std::erase_if(waited.loads, [&](int i) { return code.BlamedUs(i, kLong) < 0.1 * waited.us; });
    if (waited.loads.empty()) continue;
    Advice advice = code.About(waited.loads);
    advice.waited_us = waited.us;
    advice.finding =
        "the address is made of what a load of the loop fetched, so that each load waits for the one before";
    advice.action =
        "no load of this chain can go ahead of another: walk several chains in a thread, keep more warps on an SM, or "
        "lay the data out so that an address can be computed";
    all.push_back(std::move(advice));
  }
  return all;
}

std::vector<ShownCode> LoadsUnderWay(const AdviceCode& code) {
  constexpr std::string_view kReasons[] = {kLong};
  return UnderWayOf("exposed_latency", code, IsLoad, kReasons);
}

std::vector<ShownCode> SharedLoadsUnderWay(const AdviceCode& code) {
  constexpr std::string_view kReasons[] = {"short_scoreboard", "mio_throttle"};
  return UnderWayOf("exposed_shared", code, IsSharedLoad, kReasons);
}

}  // namespace culprit::advice
