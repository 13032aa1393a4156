// SPDX-License-Identifier: Apache-2.0
// One kernel's facts under one name space, so that a rule can say what it needs as a list of ids.
//
// An id is, in this order:
//   a metric id of the recording                       "shared_load_wavefronts"
//     `warps_active` of 0 is undefined, and with it every share of it
//   a static attribute (see db/records.h)              "stack_frame_bytes"
//     what the loaded kernel says of itself ("launch_registers", ...) counts as one more source, "launch", and is the
//     only one for kernels of a library; its local memory stands for the stack frame where no cubin was read
//   a derived fact:
//     time_us            median of the kept samples
//     flop, min_bytes    of the launch; undefined when the launch does not state them
//     blocks             grid size
//     waves              blocks / (SMs x blocks per SM that fit)
//     sm_count, fp32_lanes_per_sm, dram_bytes_per_s    of the device
//     clock_mhz          median SM clock of the kept samples
//     shared_access_bytes, global_access_bytes         that a thread names in a load or store, on the average;
//                        undefined where it makes none
//     sass_shared_width_inst, sass_global_width_inst   loads and stores of that memory, of which the width was counted
//     sass_shared_narrow_inst, sass_global_narrow_inst those of them that move 32 bits per thread or less
//     sass_shared_spared_inst, sass_global_spared_inst what these would be fewer, moving 128 bits each
//     shared_excess_wavefronts, global_excess_sectors  beyond those that the same bytes need, exactly counted
//     copied_wavefronts                                of shared memory, but for loads, stores and atomics
//     barrier_inst       executions of BAR by warps, from the instructions' counts and opcodes
//     dram_bytes         dram_read_bytes + dram_write_bytes
//     local_sectors, global_sectors                    loads + stores, at L1
#pragma once
#include <string>
#include <string_view>
#include <unordered_map>

#include "analysis/kernel/static_view.h"
#include "analysis/number/measured.h"
#include "analysis/number/statistics.h"
#include "db/database.h"

namespace culprit {

class KernelView {
 public:
  // Keeps a reference: the record must outlive the view.
  explicit KernelView(const KernelRecord& record);
  // A copy would look into the view that it was made of.
  KernelView(const KernelView&) = delete;
  KernelView& operator=(const KernelView&) = delete;

  Measured Get(std::string_view id) const;
  // For ids that are known to be there. Throws std::logic_error otherwise: a rule used what it did not ask for.
  double At(std::string_view id) const;
  // Whether `id` is missing because the run was recorded with --profile=core, which leaves exact counts and percentages
  // of peak out.
  bool NeedsFullProfile(std::string_view id) const;
  // Whether a counter was asked for; facts about the loaded kernel need none.
  bool WasCounted() const;
  // Of one that was not: in which run, why, and what to do, as a sentence.
  std::string WhyNotCounted() const;
  // Unit of a metric, static attribute or derived fact as the catalogue writes it: "inst", "byte", "us", "%", ...
  std::string UnitOf(std::string_view id) const;

  // T_r = T x W_r / W for one reason ("barrier"), in microseconds. See stall_stack.h.
  Measured StallUs(std::string_view reason) const;
  // W_r / W.
  Measured StallShare(std::string_view reason) const;

  const KernelRecord& record() const { return record_; }
  const TimeSummary& time() const { return time_; }
  const StaticView& statics() const { return statics_; }

 private:
  Measured Derived(std::string_view id) const;
  Measured Accesses(const std::string& memory, std::string_view which) const;  // "narrow_inst"

  struct Known {
    Measured value;
    const Reading* reading = nullptr;  // null for a static attribute
  };

  const KernelRecord& record_;
  TimeSummary time_;
  StaticView statics_;
  // What is no derived fact. The keys are those of the record and of `statics_`. Hashed: causes and rules look up
  // thousands of facts of each kernel, and names that begin alike are slow to compare.
  std::unordered_map<std::string_view, Known> known_;
};

}  // namespace culprit
