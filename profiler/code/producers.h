// SPDX-License-Identifier: Apache-2.0
// Finds the instructions that made an instruction wait, by the reason of a sample.
//
//   long_scoreboard, short_scoreboard  those that set a scoreboard for which it waits, on every path back to where that
//       scoreboard was waited for before (then it was free); of both kinds in one wait, the kind that the reason names.
//       DEPBAR waits, at the instruction behind it, for a scoreboard by its operand, but for the newest ones that it
//       lets pass; LDGDEPBAR stands for the copies before it
//   the same, where nothing but operands of an access to memory is waited for  as of its queue, behind which it stands
//   until they are read
//   wait                  the nearest on each path that wrote one of its operands no longer ago than a fixed latency
//   is;
//       else the instruction before it, which asked for the distance
//   lg_, mio_, tex_, math_pipe_throttle  all of the kernel that go through the same queue or pipe, which all warps
//   share,
//       by how often they ran and for how long they keep it busy (passes.h)
//   not_selected          all of the kernel, as each issues: another warp's was taken
//   membar, sleeping      the fence or NANOSLEEP: itself or the nearest before
//   branch_resolving      itself, or the branch before it
//   drain                 the stores on the paths before EXIT, as of a queue; those of local memory only where there
//   are
//       no others
//   gmma                  all matrix products of warpgroups, as of a queue; so too mio_throttle at such a product, and
//       barrier at WARPGROUP.DEPBAR, which is how the hardware counts wgmma.wait_group
//   long_scoreboard at an mbarrier  who completes its phase: the copies that the waiter goes on to use, or, where it
//       goes on to copy, the arrivals of those who give buffers back (asynchronous.h)
//   barrier               the BAR or UCGABAR_WAIT: what made the late warps late needs samples, see costs.h
//   all others            itself: selected, no_instruction (its own fetch), dispatch_stall, imc_miss, ...
//
// Several instructions share the blame by how often they ran, and with scoreboards also by their typical latency. If
// there is none, the instruction itself is blamed.
#pragma once
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "profiler/code/asynchronous.h"
#include "profiler/code/flow_graph.h"
#include "profiler/code/instruction.h"
#include "profiler/code/operation.h"
#include "profiler/code/trips.h"
#include "profiler/code/walk_budget.h"

namespace culprit {

struct Producer {
  int instruction = 0;
  double share = 0;
};
// By instruction, each once; not empty; the shares sum to 1.
using Producers = std::vector<Producer>;

constexpr std::string_view kBarrierReason = "barrier";

class ProducerFinder {
 public:
  // Keeps references: all three must outlive the finder. `trips` of each block.
  // `passes` of each instruction.
  ProducerFinder(std::span<const SassInstruction> code, const FlowGraph& graph, std::span<const BlockTrips> trips,
                 std::span<const double> passes);

  // The reference stays as long as the finder does. Instructions that wait for the same may get the same one.
  const Producers& Of(int instruction, std::string_view reason);

  // Whether `barrier` at this instruction is a wait for other warps, not for matrix products.
  bool IsForWarps(int instruction) const { return !IsProductWait(code_[instruction]); }

  // The instructions on the paths to the barrier `bar` from the barriers before it, or from the entry.
  std::vector<int> BeforeBarrier(int bar);

 private:
  enum class Kind;
  enum class Weight { kExecutions, kLatency, kPasses };  // the weight of an execution
  static Kind KindOf(std::string_view reason);

  std::vector<int> Before(int instruction) const;
  template <class Wanted>
  std::vector<int> Nearest(int from, Wanted wanted);
  void AddSetters(int from, int scoreboard, int pass, std::vector<int>& found);
  std::vector<int> ForScoreboards(int instruction, bool l1tex);
  std::optional<Kind> QueueOfOperands(int instruction, std::span<const int> found) const;
  std::vector<int> ForPhase(int check);
  std::vector<int> ForFixedLatency(int instruction);
  std::vector<int> ForDrain(int instruction);
  bool IsMember(int instruction, int key) const;
  const Producers& ForQueue(int instruction, Kind kind);
  Producers SharesOf(std::vector<int> instructions, int otherwise, Weight by = Weight::kExecutions) const;

  std::span<const SassInstruction> code_;
  const FlowGraph& graph_;
  std::span<const BlockTrips> trips_;
  std::span<const double> passes_;
  std::vector<OperationOf> operations_;  // of each instruction
  std::vector<unsigned> frees_;          // scoreboards that are free once it issued, of each instruction
  WalkBudget budget_;
  std::map<std::pair<int, Kind>, Producers> found_;
  std::map<int, Producers> of_queue_;
};

}  // namespace culprit
