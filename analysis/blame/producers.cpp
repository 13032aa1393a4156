// SPDX-License-Identifier: Apache-2.0
#include "analysis/blame/producers.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <string>
#include <tuple>

namespace culprit {

enum class ProducerFinder::Kind {
  kItself,
  kLongScoreboard,
  kShortScoreboard,
  kFixedLatency,
  kLocalGlobalQueue,
  kMioQueue,
  kTextureQueue,
  kMathPipe,
  kStores,
  kMatrixProducts,
  kFence,
  kSleep,
  kBranch,
  kBarrier,
};

namespace {

// A stall count has four bits, and no more distance is asked for between two instructions.
constexpr int kFixedWindowCycles = 15;

// In straight code only so many, so that 20,000 instructions without a loop take no minutes.
constexpr std::ptrdiff_t kQueueMembers = 64;
constexpr int kStoresKey = -1;

// What the H200 needs (db/recorded): cycles until a dependent instruction may issue. Where a load ends, its instruction
// does not say: taken are L2 for what leaves the SM, L1 for local memory, shared memory for the rest.
constexpr double kL2Cycles = 300, kL1Cycles = 39, kSharedCycles = 23;

double TypicalCycles(Operation operation) {
  switch (operation) {
    case Operation::kLocalLoad:
    case Operation::kLocalStore:
      return kL1Cycles;
    case Operation::kGlobalLoad:
    case Operation::kGlobalStore:
    case Operation::kGlobalAtomic:
    case Operation::kGenericLoad:
    case Operation::kGenericStore:
    case Operation::kAsyncCopy:
    case Operation::kTexture:
      return kL2Cycles;
    default:
      return kSharedCycles;
  }
}

// "DEPBAR.LE SB0, 0x1": the scoreboard and how many of those that set it last need not be done.
struct Depbar {
  int scoreboard = 0, pass = 0;
};
std::optional<Depbar> DepbarOf(const SassInstruction& i) {
  if (i.mnemonic != "DEPBAR") return std::nullopt;
  const auto at = i.operands.find("SB");
  if (at == std::string::npos || at + 2 >= i.operands.size()) return std::nullopt;
  const int scoreboard = i.operands[at + 2] - '0';
  if (scoreboard < 0 || scoreboard > 5) return std::nullopt;
  Depbar depbar{scoreboard};
  const auto count = i.operands.find("0x", at);
  if (count != std::string::npos)
    std::from_chars(i.operands.data() + count + 2, i.operands.data() + i.operands.size(), depbar.pass, 16);
  return depbar;
}

bool Sets(const SassInstruction& i, int scoreboard) {
  return i.write_scoreboard == scoreboard || i.read_scoreboard == scoreboard;
}

bool Overlap(const RegisterRange& a, const RegisterRange& b) {
  return a.file == b.file && a.first < b.first + b.count && b.first < a.first + a.count;
}

bool WritesOperandOf(const SassInstruction& writer, const SassInstruction& reader) {
  for (const RegisterRange& written : writer.writes)
    for (const RegisterRange& read : reader.reads)
      if (Overlap(written, read)) return true;
  return false;
}

}  // namespace

ProducerFinder::Kind ProducerFinder::KindOf(std::string_view reason) {
  static constexpr std::pair<std::string_view, Kind> kKinds[] = {
      {"long_scoreboard", Kind::kLongScoreboard},
      {"short_scoreboard", Kind::kShortScoreboard},
      {"wait", Kind::kFixedLatency},
      {"lg_throttle", Kind::kLocalGlobalQueue},
      {"mio_throttle", Kind::kMioQueue},
      {"tex_throttle", Kind::kTextureQueue},
      {"math_pipe_throttle", Kind::kMathPipe},
      {"drain", Kind::kStores},
      {"gmma", Kind::kMatrixProducts},
      {"membar", Kind::kFence},
      {"sleeping", Kind::kSleep},
      {"branch_resolving", Kind::kBranch},
      {kBarrierReason, Kind::kBarrier},
  };
  const auto found = std::ranges::find(kKinds, reason, &std::pair<std::string_view, Kind>::first);
  return found == std::end(kKinds) ? Kind::kItself : found->second;
}

ProducerFinder::ProducerFinder(std::span<const SassInstruction> code, const FlowGraph& graph,
                               std::span<const BlockTrips> trips)
    : code_(code), graph_(graph), trips_(trips), visited_(graph.blocks.size(), 0) {
  for (const SassInstruction& i : code) {
    operations_.push_back(FindOperation(i.mnemonic));
    const auto depbar = DepbarOf(i);
    frees_.push_back(i.wait_mask | (depbar && depbar->pass == 0 ? 1U << depbar->scoreboard : 0));
  }
}

// Calls `visit` with each instruction from which `from` can be reached, once, those before it in its block first;
// itself too where it lies in a cycle. `visit` returns whether to go no further on that path.
template <class Visit>
void ProducerFinder::WalkBack(int from, Visit visit) {
  ++walk_;
  const int home = graph_.block_of[from];
  std::vector<int> open;
  const auto through = [&](int first, int last) {
    for (int i = last; i >= first; --i)
      if (visit(i)) return false;
    return true;
  };
  const auto leave = [&](int block) {
    for (const int before : graph_.blocks[block].predecessors)
      if (visited_[before] != walk_) {
        visited_[before] = walk_;
        open.push_back(before);
      }
  };
  if (through(graph_.blocks[home].first, from - 1)) leave(home);
  while (!open.empty()) {
    const int b = open.back();
    open.pop_back();
    const bool again = b == home;  // what lies before `from` in it was seen at first
    if (through(again ? from : graph_.blocks[b].first, graph_.blocks[b].last) && !again) leave(b);
  }
}

// Those after which it may come at once.
std::vector<int> ProducerFinder::Before(int instruction) const {
  const BasicBlock& block = graph_.blocks[graph_.block_of[instruction]];
  if (instruction > block.first) return {instruction - 1};
  std::vector<int> all;
  for (const int b : block.predecessors) all.push_back(graph_.blocks[b].last);
  return all;
}

template <class Wanted>
std::vector<int> ProducerFinder::Nearest(int from, Wanted wanted, bool itself) {
  if (itself && wanted(from)) return {from};
  std::vector<int> found;
  WalkBack(from, [&](int i) {
    if (!wanted(i)) return false;
    found.push_back(i);
    return true;
  });
  return found;
}

// On each path those that set the scoreboard since it was free, but for the last `pass` of them.
void ProducerFinder::AddSetters(int from, int scoreboard, int pass, std::vector<int>& found) {
  if (pass == 0) {
    WalkBack(from, [&](int i) {
      if (Sets(code_[i], scoreboard)) found.push_back(i);
      return (frees_[i] >> scoreboard & 1) != 0;
    });
    return;
  }
  std::set<std::pair<int, int>> seen;  // instruction, of those that set it how many were passed behind it
  std::vector<std::pair<int, int>> open = {{from, 0}};
  while (!open.empty()) {
    const auto [behind, passed] = open.back();
    open.pop_back();
    for (const int i : Before(behind)) {
      int now = passed;
      if (Sets(code_[i], scoreboard)) {
        if (passed >= pass) found.push_back(i);
        now = std::min(pass, passed + 1);
      }
      if ((frees_[i] >> scoreboard & 1) == 0 && seen.emplace(i, now).second) open.emplace_back(i, now);
    }
  }
}

std::vector<int> ProducerFinder::ForScoreboards(int instruction, bool l1tex) {
  std::vector<int> setters;
  for (int scoreboard = 0; scoreboard < 6; ++scoreboard)
    if (code_[instruction].wait_mask >> scoreboard & 1) AddSetters(instruction, scoreboard, 0, setters);
  if (const auto depbar = DepbarOf(code_[instruction]))
    AddSetters(instruction, depbar->scoreboard, depbar->pass, setters);

  std::vector<int> found;
  for (const int i : setters) {
    if (code_[i].mnemonic != "LDGDEPBAR") {
      found.push_back(i);
      continue;
    }
    std::vector<int> copies;
    WalkBack(i, [&](int before) {
      if (code_[before].mnemonic == "LDGSTS") copies.push_back(before);
      return code_[before].mnemonic == "LDGDEPBAR";
    });
    if (copies.empty()) copies = {i};
    found.insert(found.end(), copies.begin(), copies.end());
  }
  const auto fits = [&](int i) { return IsL1Tex(operations_[i].queue) == l1tex; };
  if (std::ranges::any_of(found, fits)) std::erase_if(found, [&](int i) { return !fits(i); });
  return found;
}

std::vector<int> ProducerFinder::ForFixedLatency(int instruction) {
  std::vector<int> found;
  std::set<std::pair<int, int>> seen;  // instruction, cycles from its issue to that of `instruction`
  std::vector<std::pair<int, int>> open = {{instruction, 0}};
  while (!open.empty()) {
    const auto [behind, cycles] = open.back();
    open.pop_back();
    for (const int i : Before(behind)) {
      const int distance = cycles + std::max(1, code_[i].stall_cycles);
      if (distance > kFixedWindowCycles || !seen.emplace(i, distance).second) continue;
      if (code_[i].write_scoreboard < 0 && WritesOperandOf(code_[i], code_[instruction]))
        found.push_back(i);
      else
        open.emplace_back(i, distance);
    }
  }
  if (!found.empty()) return found;
  for (const int i : Before(instruction))
    if (code_[i].stall_cycles > 1) found.push_back(i);
  return found;
}

// Those of a block, in order, that go through a queue, by its key: kStoresKey for stores, whatever they go through.
const std::vector<int>& ProducerFinder::MembersOf(int block, int key) {
  const auto [members, is_new] = members_.try_emplace({block, key});
  if (is_new)
    for (int i = graph_.blocks[block].first; i <= graph_.blocks[block].last; ++i)
      if (IsMember(i, key)) members->second.push_back(i);
  return members->second;
}

bool ProducerFinder::IsMember(int instruction, int key) const {
  const auto [operation, queue] = operations_[instruction];
  if (key != kStoresKey) return static_cast<int>(queue) == key;
  return operation == Operation::kGlobalStore || operation == Operation::kGlobalAtomic ||
         operation == Operation::kLocalStore || operation == Operation::kGenericStore;
}

const Producers& ProducerFinder::ForQueue(int instruction, Kind kind) {
  Queue queue = operations_[instruction].queue;
  if (kind == Kind::kLocalGlobalQueue) queue = Queue::kLocalGlobal;
  if (kind == Kind::kMioQueue) queue = Queue::kMio;
  if (kind == Kind::kTextureQueue) queue = Queue::kTexture;
  if (kind == Kind::kMatrixProducts) queue = Queue::kTensor;
  const std::pair own(instruction, kind);
  if (kind == Kind::kMathPipe && !IsMathPipe(queue))
    return found_.emplace(own, SharesOf({}, instruction)).first->second;
  const int key = kind == Kind::kStores ? kStoresKey : static_cast<int>(queue);

  // One answer for all that wait in a loop.
  if (const int loop = graph_.LoopOf(instruction); loop >= 0) {
    const auto [at, is_new] = of_loop_.try_emplace({loop, key});
    if (is_new) {
      std::vector<int> all;
      for (const int b : graph_.loops[loop].blocks)
        all.insert(all.end(), MembersOf(b, key).begin(), MembersOf(b, key).end());
      if (!all.empty()) at->second = SharesOf(std::move(all), instruction);
    }
    if (!at->second.empty()) return at->second;
  }
  const int block = graph_.block_of[instruction];
  const std::vector<int>& all = MembersOf(block, key);
  const auto end = std::ranges::upper_bound(all, instruction);
  if (end == all.begin()) {
    // One answer for all in the block that have none before them in it.
    const auto [before, is_new] = before_block_.try_emplace({block, key});
    if (is_new)
      before->second = Nearest(
          graph_.blocks[block].first, [&](int i) { return IsMember(i, key); }, false);
    return found_.emplace(own, SharesOf(before->second, instruction)).first->second;
  }
  const auto begin = end - std::min<std::ptrdiff_t>(kQueueMembers, end - all.begin());
  return found_.emplace(own, SharesOf({begin, end}, instruction)).first->second;
}

Producers ProducerFinder::SharesOf(std::vector<int> instructions, int otherwise, bool by_latency) const {
  std::ranges::sort(instructions);
  instructions.erase(std::unique(instructions.begin(), instructions.end()), instructions.end());
  if (instructions.empty()) return {{otherwise, 1}};
  Producers shares;
  double all = 0;
  for (const int i : instructions) {
    // One that has no result is waited for until its operands are read.
    const double cycles = code_[i].write_scoreboard < 0 ? kSharedCycles : TypicalCycles(operations_[i].operation);
    const double weight = trips_[graph_.block_of[i]].trips * (by_latency ? cycles : 1);
    shares.push_back({i, weight});
    all += weight;
  }
  for (Producer& p : shares) p.share = all > 0 ? p.share / all : 1.0 / static_cast<double>(shares.size());
  return shares;
}

const Producers& ProducerFinder::Of(int instruction, std::string_view reason) {
  const Kind kind = KindOf(reason);
  const std::pair key(instruction, kind);
  if (const auto known = found_.find(key); known != found_.end()) return known->second;
  std::vector<int> found;
  switch (kind) {
    case Kind::kItself:
      break;
    case Kind::kLongScoreboard:
    case Kind::kShortScoreboard:
      found = ForScoreboards(instruction, kind == Kind::kLongScoreboard);
      break;
    case Kind::kFixedLatency:
      found = ForFixedLatency(instruction);
      break;
    case Kind::kLocalGlobalQueue:
    case Kind::kMioQueue:
    case Kind::kTextureQueue:
    case Kind::kMathPipe:
    case Kind::kStores:
    case Kind::kMatrixProducts:
      return ForQueue(instruction, kind);
    case Kind::kFence:
      found = Nearest(
          instruction, [&](int i) { return operations_[i].operation == Operation::kFence; }, true);
      break;
    case Kind::kSleep:
      found = Nearest(
          instruction, [&](int i) { return code_[i].mnemonic == "NANOSLEEP"; }, true);
      break;
    case Kind::kBranch:
      if (operations_[instruction].operation != Operation::kBranch)
        for (const int i : Before(instruction))
          if (operations_[i].operation == Operation::kBranch) found.push_back(i);
      break;
    case Kind::kBarrier:
      found = Nearest(
          instruction, [&](int i) { return code_[i].mnemonic == "BAR"; }, true);
      break;
  }
  const bool by_latency = kind == Kind::kLongScoreboard || kind == Kind::kShortScoreboard;
  return found_.emplace(key, SharesOf(std::move(found), instruction, by_latency)).first->second;
}

std::vector<int> ProducerFinder::BeforeBarrier(int bar) {
  std::vector<int> region;
  WalkBack(bar, [&](int i) {
    if (code_[i].mnemonic == "BAR") return true;
    region.push_back(i);
    return false;
  });
  return region;
}

}  // namespace culprit
