// SPDX-License-Identifier: Apache-2.0
// Converts CUPTI's sample records to ours. Uses no CUDA.
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
  bool not_issued = false;  // true: counts only samples in cycles without an issued instruction
};

// Parses "smsp__pcsamp_warps_issue_stalled_long_scoreboard_not_issued". Nullopt for a name that is not a stall reason.
std::optional<StallReason> StallReasonOf(std::string_view cupti_name);

// Totals of one call that fetches samples, as CUPTI reports them.
struct SampleTotals {
  std::int64_t total = 0;    // includes the next two
  std::int64_t dropped = 0;  // lost by the hardware
  std::int64_t other = 0;    // in the driver's own kernels, which have no records
};

class SampleSums {
 public:
  void Add(const std::string& function, std::int64_t pc_offset, const StallReason& reason, std::int64_t samples);
  void Add(const SampleTotals& totals);

  std::int64_t samples() const;  // only those with an instruction
  std::int64_t not_issued() const;
  const SampleTotals& totals() const { return totals_; }

  // Fills in rows and sample counts. The caller fills in period, launches and code.
  SamplingRecord Record() const;
  // One record per function. Samples without an instruction belong to none.
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
