// SPDX-License-Identifier: Apache-2.0
// All facts of one kernel by id, so that a rule can list the ids that it needs.
//
// The view looks for an id in this order:
//   a metric id of the recording                       "shared_load_wavefronts"
//     if `warps_active` is 0, it and its shares are undefined
//     a replayed value comes before a sampled one; it is scaled where launches differ (launch_weights.h)
//   a static attribute (see db/records.h)              "stack_frame_bytes"
//     attributes of the loaded kernel ("launch_registers", ...) count as one more source, "launch"; kernels of a
//     library have no other
//   a derived fact (derived_facts.h has their table)   "dram_bytes"
#pragma once
#include <string>
#include <string_view>
#include <unordered_map>

#include "analysis/launch/launch_weights.h"
#include "analysis/launch/static_view.h"
#include "analysis/number/measured.h"
#include "analysis/number/statistics.h"
#include "db/database.h"

namespace culprit {

class KernelView {
 public:
  // Keeps a reference: the record must outlive the view.
  explicit KernelView(const KernelRecord& record);
  // A copy would keep pointers into the original.
  KernelView(const KernelView&) = delete;
  KernelView& operator=(const KernelView&) = delete;

  Measured Get(std::string_view id) const;
  // Throws std::logic_error when `id` has no value: a rule used an id that it did not list.
  double At(std::string_view id) const;
  // Whether `id` is missing because the run was recorded with a profile that omits exact counts and percentages
  // of peak.
  bool NeedsFullProfile(std::string_view id) const;
  // Whether any counter was requested. The attributes of the loaded kernel need none.
  bool WasCounted() const;
  // For a kernel that was not counted: a sentence that names the run, the reason and the remedy.
  std::string WhyNotCounted() const;
  // The unit of a metric, static attribute or derived fact in the catalogue's words: "inst", "byte", "us", "%", ...
  std::string_view UnitOf(std::string_view id) const;

  // T_r = T x W_r / W for one reason ("barrier"), in microseconds. See stall_stack.h.
  Measured StallUs(std::string_view reason) const;
  // W_r / W.
  Measured StallShare(std::string_view reason) const;

  const KernelRecord& record() const { return record_; }
  const TimeSummary& time() const { return time_; }
  const StaticView& statics() const { return statics_; }
  const LaunchWeights& weights() const { return weights_; }
  // The reading that Get takes the value from. Null for all other facts.
  const Reading* ReadingOf(std::string_view id) const;

 private:
  struct Known {
    Measured value;
    const Reading* reading = nullptr;  // null for a static attribute
  };

  const KernelRecord& record_;
  LaunchWeights weights_;
  TimeSummary time_;
  StaticView statics_;
  // Facts that are not derived. Keys point into the record and `statics_`. Hashed, because causes and rules look up
  // thousands of facts per kernel, and names with common prefixes are slow to compare.
  std::unordered_map<std::string_view, Known> known_;
};

}  // namespace culprit
