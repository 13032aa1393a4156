// SPDX-License-Identifier: Apache-2.0
#include "profiler/code/producers.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "profiler/code/chip.h"

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
  kIssueSlots,
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

// A key beside those of Queue: all that issues.
constexpr int kIssueKey = -1;

// Where a load ends its instruction does not say: it is taken to be L2 for what leaves the SM, L1 for local memory and
// shared memory for the rest.
double TypicalCycles(Operation operation) {
  switch (operation) {
    case Operation::kLocalLoad:
    case Operation::kLocalStore:
      return h200::kL1Cycles;
    case Operation::kGlobalLoad:
    case Operation::kGlobalStore:
    case Operation::kGlobalAtomic:
    case Operation::kGenericLoad:
    case Operation::kGenericStore:
    case Operation::kAsyncCopy:
    case Operation::kTexture:
      return h200::kL2Cycles;
    default:
      return h200::kSharedCycles;
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
      {"not_selected", Kind::kIssueSlots},
      {"drain", Kind::kStores},
      {"gmma", Kind::kMatrixProducts},
      {"warpgroup_arrive", Kind::kMatrixProducts},
      {"membar", Kind::kFence},
      {"sleeping", Kind::kSleep},
      {"branch_resolving", Kind::kBranch},
      {kBarrierReason, Kind::kBarrier},
  };
  const auto found = std::ranges::find(kKinds, reason, &std::pair<std::string_view, Kind>::first);
  return found == std::end(kKinds) ? Kind::kItself : found->second;
}

ProducerFinder::ProducerFinder(std::span<const SassInstruction> code, const FlowGraph& graph,
                               std::span<const BlockTrips> trips, std::span<const double> passes)
    : code_(code), graph_(graph), trips_(trips), passes_(passes) {
  for (const SassInstruction& i : code) {
    operations_.push_back(FindOperation(i.mnemonic));
    const auto depbar = DepbarOf(i);
    frees_.push_back(i.wait_mask | (depbar && depbar->pass == 0 ? 1U << depbar->scoreboard : 0));
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

// The instruction itself, or the nearest before it on each path.
template <class Wanted>
std::vector<int> ProducerFinder::Nearest(int from, Wanted wanted) {
  if (wanted(from)) return {from};
  std::vector<int> found;
  WalkBack(graph_, budget_, from, [&](int i) {
    if (!wanted(i)) return false;
    found.push_back(i);
    return true;
  });
  return found;
}

// On each path those that set the scoreboard since it was free, but for the last `pass` of them.
void ProducerFinder::AddSetters(int from, int scoreboard, int pass, std::vector<int>& found) {
  if (pass == 0) {
    WalkBack(graph_, budget_, from, [&](int i) {
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
      if (!budget_.Take()) return;
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
  // A warp that waits in DEPBAR stands at the instruction behind it.
  std::vector<int> waiting = Before(instruction);
  waiting.push_back(instruction);
  for (const int i : waiting)
    if (const auto depbar = DepbarOf(code_[i])) AddSetters(i, depbar->scoreboard, depbar->pass, setters);

  std::vector<int> found;
  for (const int i : setters) {
    if (code_[i].mnemonic != "LDGDEPBAR") {
      found.push_back(i);
      continue;
    }
    std::vector<int> copies;
    WalkBack(graph_, budget_, i, [&](int before) {
      if (code_[before].mnemonic == "LDGSTS") copies.push_back(before);
      return code_[before].mnemonic == "LDGDEPBAR";
    });
    if (copies.empty()) copies = {i};
    found.insert(found.end(), copies.begin(), copies.end());
  }
  const auto fits = [&](int i) { return IsL1Tex(operations_[i].queue) == l1tex; };
  if (std::ranges::any_of(found, fits)) std::erase_if(found, [&](int i) { return !fits(i); });
  std::vector<int> beyond;
  for (const int i : found) {
    const std::vector<int> of_phase = l1tex && IsPhaseCheck(code_[i]) ? ForPhase(i) : std::vector{i};
    beyond.insert(beyond.end(), of_phase.begin(), of_phase.end());
  }
  return beyond;
}

// Until an access to memory has read its operands, it stands in its queue behind what other warps put there: who waits
// for nothing but that waits for the queue, whoever filled it.
std::optional<ProducerFinder::Kind> ProducerFinder::QueueOfOperands(int instruction, std::span<const int> found) const {
  if (found.empty()) return std::nullopt;
  const Queue queue = operations_[found.front()].queue;
  if (queue != Queue::kLocalGlobal && queue != Queue::kMio) return std::nullopt;
  const unsigned waits_for = code_[instruction].wait_mask;
  for (const int i : found) {
    const auto is_awaited = [&](int scoreboard) { return scoreboard >= 0 && (waits_for >> scoreboard & 1) != 0; };
    if (operations_[i].queue != queue || is_awaited(code_[i].write_scoreboard) || !is_awaited(code_[i].read_scoreboard))
      return std::nullopt;
  }
  return queue == Queue::kMio ? Kind::kMioQueue : Kind::kLocalGlobalQueue;
}

// Which copies, or arrivals, complete the phase of one mbarrier the code does not say: all of them.
std::vector<int> ProducerFinder::ForPhase(int check) {
  if (!budget_.Take(static_cast<std::int64_t>(code_.size()))) return {check};
  const Phase phase = PhaseWaitedFor(code_, graph_, check);
  std::vector<int> found;
  for (int i = 0; i < static_cast<int>(code_.size()) && budget_.Take(); ++i)
    if (phase == Phase::kRelease ? IsRelease(code_[i]) : phase == Phase::kCopy && IsBulkLoad(code_[i]))
      found.push_back(i);
  if (found.empty()) found.push_back(check);
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
      if (!budget_.Take()) return found;
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

bool ProducerFinder::IsMember(int instruction, int key) const {
  const Queue queue = operations_[instruction].queue;
  if (key == kIssueKey) return true;
  if (key == static_cast<int>(Queue::kTensor) && code_[instruction].mnemonic == "WARPGROUP") return false;
  // Loads and stores of global and local memory are seen to wait with mio_throttle, too: they pass the MIO on their way
  // to L1 (an H200, docs/lines.md).
  if (key == static_cast<int>(Queue::kMio)) return queue == Queue::kMio || IsL1Tex(queue);
  return static_cast<int>(queue) == key;
}

// What the warp itself stored on its way to its end: all of it, as the last wait behind the others in one queue. Local
// memory, which nobody reads any more, only where there is nothing else.
std::vector<int> ProducerFinder::ForDrain(int instruction) {
  // A warp that waits in EXIT is seen at the instruction behind it, to which no path need lead.
  if (instruction > 0 && code_[instruction - 1].mnemonic == "EXIT") --instruction;
  std::vector<int> stores, local;
  WalkBack(graph_, budget_, instruction, [&](int i) {
    const Operation operation = operations_[i].operation;
    if (operation == Operation::kGlobalStore || operation == Operation::kGlobalAtomic ||
        operation == Operation::kGenericStore)
      stores.push_back(i);
    if (operation == Operation::kLocalStore) local.push_back(i);
    return false;
  });
  return stores.empty() ? local : stores;
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
  const int key = kind == Kind::kIssueSlots ? kIssueKey : static_cast<int>(queue);

  // One answer for all that wait.
  const auto [of_queue, is_new] = of_queue_.try_emplace(key);
  if (is_new) {
    std::vector<int> all;
    for (int i = 0; i < static_cast<int>(code_.size()); ++i)
      if (IsMember(i, key)) all.push_back(i);
    if (!all.empty())
      of_queue->second =
          SharesOf(std::move(all), instruction, key == kIssueKey ? Weight::kExecutions : Weight::kPasses);
  }
  if (!of_queue->second.empty()) return of_queue->second;
  return found_.emplace(own, SharesOf({}, instruction)).first->second;
}

Producers ProducerFinder::SharesOf(std::vector<int> instructions, int otherwise, Weight by) const {
  std::ranges::sort(instructions);
  instructions.erase(std::unique(instructions.begin(), instructions.end()), instructions.end());
  if (instructions.empty()) return {{otherwise, 1}};
  Producers shares;
  double all = 0;
  for (const int i : instructions) {
    // One that has no result is waited for until its operands are read.
    const double cycles = code_[i].write_scoreboard < 0 ? h200::kSharedCycles : TypicalCycles(operations_[i].operation);
    const double each = by == Weight::kLatency ? cycles : by == Weight::kPasses ? passes_[i] : 1;
    const double weight = trips_[graph_.block_of[i]].trips * each;
    shares.push_back({i, weight});
    all += weight;
  }
  for (Producer& p : shares) p.share = all > 0 ? p.share / all : 1.0 / static_cast<double>(shares.size());
  return shares;
}

const Producers& ProducerFinder::Of(int instruction, std::string_view reason) {
  Kind kind = KindOf(reason);
  const bool queued = kind == Kind::kMioQueue && IsGroupProduct(code_[instruction]);
  if (queued || (kind == Kind::kBarrier && IsProductWait(code_[instruction]))) kind = Kind::kMatrixProducts;
  const std::pair key(instruction, kind);
  if (const auto known = found_.find(key); known != found_.end()) return known->second;
  std::vector<int> found;
  switch (kind) {
    case Kind::kItself:
      break;
    case Kind::kLongScoreboard:
    case Kind::kShortScoreboard:
      found = ForScoreboards(instruction, kind == Kind::kLongScoreboard);
      if (const std::optional<Kind> queue = QueueOfOperands(instruction, found)) return ForQueue(found.front(), *queue);
      break;
    case Kind::kFixedLatency:
      found = ForFixedLatency(instruction);
      break;
    case Kind::kLocalGlobalQueue:
    case Kind::kMioQueue:
    case Kind::kTextureQueue:
    case Kind::kMathPipe:
    case Kind::kIssueSlots:
    case Kind::kMatrixProducts:
      return ForQueue(instruction, kind);
    case Kind::kStores:
      found = ForDrain(instruction);
      break;
    case Kind::kFence:
      found = Nearest(instruction, [&](int i) { return operations_[i].operation == Operation::kFence; });
      break;
    case Kind::kSleep:
      found = Nearest(instruction, [&](int i) { return code_[i].mnemonic == "NANOSLEEP"; });
      break;
    case Kind::kBranch:
      if (operations_[instruction].operation != Operation::kBranch)
        for (const int i : Before(instruction))
          if (operations_[i].operation == Operation::kBranch) found.push_back(i);
      break;
    case Kind::kBarrier:
      found = Nearest(instruction, [&](int i) { return IsBarrier(code_[i]); });
      break;
  }
  const bool is_scoreboard = kind == Kind::kLongScoreboard || kind == Kind::kShortScoreboard;
  const Weight by = is_scoreboard ? Weight::kLatency : kind == Kind::kStores ? Weight::kPasses : Weight::kExecutions;
  return found_.emplace(key, SharesOf(std::move(found), instruction, by)).first->second;
}

std::vector<int> ProducerFinder::BeforeBarrier(int bar) {
  std::vector<int> region;
  WalkBack(graph_, budget_, bar, [&](int i) {
    if (IsBarrier(code_[i])) return true;
    region.push_back(i);
    return false;
  });
  return region;
}

}  // namespace culprit
