// SPDX-License-Identifier: Apache-2.0
// From CUPTI's records of sampled instructions to ours. No CUDA in here.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "db/code.h"

namespace culprit {

struct StallReason {
  std::string reason;       // "long_scoreboard"
  bool not_issued = false;  // the part of it in cycles in which the scheduler issued nothing
};

// Of "smsp__pcsamp_warps_issue_stalled_long_scoreboard_not_issued"; nothing of a name that is no reason to stall.
std::optional<StallReason> StallReasonOf(std::string_view cupti_name);

// Of one call that fetches samples, as CUPTI has them.
struct SampleTotals {
  std::int64_t total = 0;    // with the next two
  std::int64_t dropped = 0;  // by the hardware
  std::int64_t other = 0;    // in kernels of the driver's, of which there are no records
};

class SampleSums {
 public:
  void Add(const std::string& function, std::int64_t pc_offset, const StallReason& reason, std::int64_t samples);
  void Add(const SampleTotals& totals);

  std::int64_t samples() const;  // of instructions
  std::int64_t not_issued() const;
  const SampleTotals& totals() const { return totals_; }

  // Rows and numbers of samples; period, launches and code are the caller's.
  SamplingRecord Record() const;
  // The same of each function by itself. Samples without an instruction belong to none.
  std::map<std::string, SamplingRecord> RecordsByFunction() const;

 private:
  struct Counts {
    std::int64_t samples = 0, not_issued = 0;
  };
  Counts Sum() const;
  bool IsBeside() const;

  std::map<std::tuple<std::string, std::int64_t, std::string>, Counts> rows_;  // by function, pc offset, reason
  SampleTotals totals_;
};

}  // namespace culprit
