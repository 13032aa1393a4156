// SPDX-License-Identifier: Apache-2.0
// A cause is one thing that makes kernels slow, with all rules about it. A function in the file of its family returns
// it; table.cpp lists all causes. `culprit why` applies causes to a pair of kernels, `culprit show` to one kernel. To
// add a cause, write its function, declare it in rooms.h, list it in table.cpp, and plant a pair of kernels to test it.
#pragma once
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/judge/causes/wait.h"
#include "analysis/judge/difference/decompose.h"
#include "analysis/launch/kernel_view.h"
#include "analysis/number/measured.h"
#include "db/database.h"
#include "profiler/code/operation.h"

namespace culprit {

class Movement;
class Sharing;

// What shows a cause, so that one can see whether a change against the cause worked.
struct Symptom {
  std::string_view name;       // "wavefronts lost to bank conflicts"; empty if the cause is a lack, which has no count
  std::string_view fact = {};  // id of KernelView
};

// Selects the samples that show a cause, by operation and stall reason.
struct SampledAt {
  std::vector<Operation> operations = {};      // of the instruction; empty: any operation
  std::vector<std::string_view> reasons = {};  // the stall reasons; empty: any reason
  bool stood_at = false;                       // true: waiting at these instructions; false: waiting for them
  std::vector<std::string_view> instead = {};  // ids of `needs` that sampled code can replace
  // All waiting for these operations also belongs to the cause, with any reason.
  std::vector<Operation> own = {};
  // Waiting for products of warpgroups also belongs to the cause, because they read shared memory by themselves.
  bool products = false;

  // Whether waiting for this reason because of this instruction belongs to the cause.
  bool Covers(Operation operation, std::string_view reason) const;
};

inline const std::vector<Operation> kGlobalAccesses = {Operation::kGlobalLoad,   Operation::kGlobalStore,
                                                       Operation::kGlobalAtomic, Operation::kGenericLoad,
                                                       Operation::kGenericStore, Operation::kAsyncCopy};
inline const std::vector<Operation> kSharedAccesses = {Operation::kSharedLoad, Operation::kSharedStore,
                                                       Operation::kSharedAtomic, Operation::kAsyncCopy};
inline const std::vector<Operation> kLocalAccesses = {Operation::kLocalLoad, Operation::kLocalStore};

// The count of a cause at one instruction.
struct SourceCount {
  std::string_view what;  // "local loads and stores"
  double (*of)(const InstructionRecord&) = nullptr;
};

// A stage factor that causes or prevents the cause, depending on the factor's value.
struct Topic {
  std::string_view factor;            // in lower case
  bool (*suspect)(std::string_view);  // with this value, in lower case, the cause is possible
  bool made_for_it = false;           // true if the factor has no other purpose: padding, but not unrolling
};

// The cause's share of the part of a stall state that demand does not explain.
struct RestShare {
  std::string_view state;
  Range share;
  bool either_way = false;  // also takes waiting that changed in the opposite direction to the time
  bool last = false;        // applied last, to waiting that no other cause took
};

// A cause's finding about one kernel.
//
// weight_us orders findings and is one of two things, which `text` tells apart:
//   stall time     the part T_r of the stall stack that this cause can explain
//   resource time  what a saturated unit needs at its peak for the work of this kernel
// sharing.h says how both are shared out among causes. A weight is no prediction of a gain, and weights overlap: one
// stall can be named by two findings.
struct Opinion {
  std::string text;  // one sentence with its numbers
  std::optional<double> weight_us;
  std::string brief;  // the same in about 60 characters, for one line per kernel
  bool good = false;  // nothing holds the kernel back: it is near what the hardware can do
};

// A pure function of a kernel's facts.
struct FindingRule {
  std::vector<std::string_view> needs = {};  // ids for KernelView; `judge` is called only when all of them are there
  std::optional<Opinion> (*judge)(const Sharing&) = nullptr;  // null: the cause applies only to pairs
  std::vector<std::string_view> also = {};                    // shown as evidence if available
};

// What goes away with a cause; gain.h turns it into a time.
// Every number except `warps` is a share of the present amount, 0 to 1.
struct Removal {
  std::map<std::string, double, std::less<>> waiting;  // by stall reason; without one `barrier` shrinks with the others
  double instructions = 0;                             // warp instructions
  double arithmetic = 0;                               // of the work of the arithmetic pipes
  double fp64 = 0, xu = 0, lsu = 0;                    // of the instructions of that pipe
  double shared = 0, l1 = 0, l2 = 0, dram = 0;         // of the unit's busy time
  double idle_sms = 0;                                 // of the time that SMs are without a block
  double warps = 1;                                    // resident warps, times as many
};

struct GainRule {
  std::string_view assumption = {};  // continues "if "
  // nullopt: its shares were not counted. Null: the cause cannot be taken away.
  std::optional<Removal> (*removal)(const Sharing&) = nullptr;
  // The size of the cause in a kernel, to see whether it went away in another: what it is, for people, and its id of
  // KernelView.
  std::string_view size_title = {}, size = {};
  // The assumption ignores what would take the cause's place, so the estimate is an upper bound, "at most".
  bool is_bound = false;
};

struct Cause {
  std::string_view id;        // stable; printed in JSON
  std::string_view title;     // what costs time: "an array in local memory"
  std::string_view saves;     // the same if it saves time: "less of an array in local memory"
  std::string_view explains;  // for people: the stalls or factors that it can explain
  std::string_view moves;     // for people: the metrics that must have moved, and what excludes the cause
  std::string_view remedy;    // one phrase: what people do about it
  // The words in place of `title` and `saves` where nothing shows the cause but that warps wait longer, or less long.
  // Empty: its own counts show it.
  std::string_view waits = {}, waits_less = {};

  // --- for a pair of kernels ---
  std::vector<std::string_view> needs = {};     // ids for KernelView; if one is missing, the cause is not judged
  std::vector<std::string_view> evidence = {};  // ids shown, in this order, if they were measured and changed
  // Ids of its own evidence. If the cause appeared, one of `rises` must rise or one of `falls` must fall. If both are
  // empty, the factor that it explains is the evidence.
  std::vector<std::string_view> rises = {}, falls = {};
  unsigned loads = units::kNone;  // the units that its work keeps busy
  // The demand of this cause on the units that warps wait for. Null: no demand.
  Range (*asks)(Wait, const Asker&) = nullptr;
  // Of `asks`, only what an excess sector costs at L1 may be unknown, and then of both kernels (Askers::ShareCostAtL1).
  bool shares_cost = false;
  // Moves demand from other causes to this cause if the pair shows that this cause is its reason. Runs after all
  // demands are known, in the table's order.
  void (*takes)(Wait, const Askers&, Movement&) = nullptr;
  // Its shares of waiting that grew without more demand.
  std::vector<RestShare> (*takes_rest)(const Askers&, const Decomposition&) = nullptr;
  std::vector<std::string_view> warp_limits = {};  // ids of the limits on resident warps that belong to this cause
  std::optional<Factor> factor = std::nullopt;     // the factor that belongs to this cause alone
  Symptom symptom = {};
  SourceCount source = {};
  std::optional<SampledAt> sampled = {};  // empty: the cause has no lines
  std::vector<Topic> topics = {};

  // --- for one kernel ---
  FindingRule finding = {};
  GainRule gain = {};
};

std::span<const Cause> Causes();
// Null if no cause has this id.
const Cause* FindCause(std::string_view id);
// The cause to which this factor belongs alone. Only imbalance, clock and launch have one.
const Cause& CauseOf(Factor factor);

}  // namespace culprit
