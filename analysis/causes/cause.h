// SPDX-License-Identifier: Apache-2.0
// A cause: one thing that makes kernels slow, and all that we know of it. Each has a room, a function in the file of
// its family; table.cpp lists them. `culprit why` and `culprit show` are two readings of it: of a pair of kernels, and
// of one. A new cause is its file, its line in rooms.h and in the table, and a planted pair that proves it.
#pragma once
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/causes/finding.h"
#include "analysis/causes/removal.h"
#include "analysis/causes/wait.h"
#include "analysis/kernel/kernel_view.h"
#include "analysis/kernel/operation.h"
#include "analysis/number/measured.h"
#include "analysis/split/decompose.h"
#include "db/database.h"

namespace culprit {

class Movement;

// The one quantity by which a cause shows itself, so that a change made against the cause can be seen to have worked.
struct Symptom {
  std::string_view name;  // "wavefronts lost to bank conflicts"; empty: a lack of something has no count
  std::vector<std::string_view> plus = {};   // ids of KernelView that are added ...
  std::vector<std::string_view> minus = {};  // ... and subtracted

  Measured Of(const KernelView& kernel) const;
};

// What samples of program counters show of a cause: what warps waited for, or what they stood at.
struct SampledAt {
  std::vector<Operation> operations = {};      // empty: whatever it does
  std::vector<std::string_view> reasons = {};  // that warps had; empty: any
  bool stood_at = false;                       // the warps that stood there, not those that waited for it
  std::vector<std::string_view> instead = {};  // ids that the cause needs, and that the sampled code stands for
  // Beside those: what warps waited for these is its own, for whatever reason.
  std::vector<Operation> own = {};
  // And what they waited for products of warpgroups, which read shared memory by themselves.
  bool products = false;

  // Of what warps had for a reason because of an instruction.
  bool Covers(Operation operation, std::string_view reason) const;
};

inline const std::vector<Operation> kGlobalAccesses = {Operation::kGlobalLoad,   Operation::kGlobalStore,
                                                       Operation::kGlobalAtomic, Operation::kGenericLoad,
                                                       Operation::kGenericStore, Operation::kAsyncCopy};
inline const std::vector<Operation> kSharedAccesses = {Operation::kSharedLoad, Operation::kSharedStore,
                                                       Operation::kSharedAtomic, Operation::kAsyncCopy};
inline const std::vector<Operation> kLocalAccesses = {Operation::kLocalLoad, Operation::kLocalStore};

// What makes a cause, counted at one instruction.
struct SourceCount {
  std::string_view what;  // "local loads and stores"
  double (*of)(const InstructionRecord&) = nullptr;
};

// A factor of stages whose value brings the cause about or keeps it away.
struct Topic {
  std::string_view factor;            // in lower case
  bool (*suspect)(std::string_view);  // with this value, in lower case, the cause can be there
  bool made_for_it = false;           // padding against bank conflicts; unrolling touches much else
};

// Of what is left of a stall state, this share is the cause's.
struct RestShare {
  std::string_view state;
  Range share;
  bool either_way = false;  // also of what moved against the change
  bool last = false;        // only of what nothing brought about that warps waited for besides
};

struct Cause {
  std::string_view id;        // stable; printed in JSON
  std::string_view title;     // "an array in local memory": what costs time
  std::string_view saves;     // the same with the sign turned round: "less of an array in local memory"
  std::string_view explains;  // which stalls or factors it can explain, for people
  std::string_view moves;     // which metrics must have moved, and what speaks against it, for people
  std::string_view remedy;    // what people do about it, one phrase

  // --- of a pair of kernels ---
  std::vector<std::string_view> needs = {};     // ids for KernelView without which it is not judged
  std::vector<std::string_view> evidence = {};  // ids shown, in this order, where measured and moved
  // Ids of its own evidence: of a cause that came, one of the first rose or one of the second fell. Both empty: the
  // factor that it explains is the evidence.
  std::vector<std::string_view> rises = {}, falls = {};
  unsigned loads = units::kNone;  // units that its work keeps busy
  // What a kernel asks of what its warps wait for, by this cause. Null: nothing.
  Range (*asks)(Wait, const Asker&) = nullptr;
  // Takes from other causes what a pair shows to be this one's doing; after all have asked, in the table's order.
  void (*takes)(Wait, const Askers&, Movement&) = nullptr;
  // Of waiting that grew although nothing more was asked.
  std::vector<RestShare> (*takes_rest)(const Askers&, const Decomposition&) = nullptr;
  std::vector<std::string_view> warp_limits = {};  // ids of what limits resident warps by this cause
  std::optional<Factor> factor = std::nullopt;     // the factor that is its own
  Symptom symptom = {};
  SourceCount source = {};
  std::optional<SampledAt> sampled = {};  // none: it is no line's
  std::vector<Topic> topics = {};

  // --- of one kernel ---
  FindingRule finding = {};
  GainRule gain = {};
};

std::span<const Cause> Causes();
// Null for an id that is none.
const Cause* FindCause(std::string_view id);
// The cause whose own this factor is; there is one for imbalance, clock and launch.
const Cause& CauseOf(Factor factor);

}  // namespace culprit
