// SPDX-License-Identifier: Apache-2.0
// Gathers the values that CUPTI reports for single instructions. No CUPTI header here: tested without a GPU.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "db/records.h"

namespace culprit {

class InstructionCounts {
 public:
  // Several values of one metric for one instruction add up.
  void Add(const std::string& function, std::int64_t pc_offset, const std::string& metric, double value);

  // By function and pc offset, without source lines. CUPTI may answer 0 where a metric does not apply (the sectors of
  // an FFMA): such zeros are left out. A zero stays where it says something: sass_inst of an instruction that was never
  // reached, and wavefronts or sectors of an instruction that is known to access that memory, because every thread was
  // predicated off.
  std::vector<InstructionRecord> Records() const;

 private:
  std::map<std::pair<std::string, std::int64_t>, std::map<std::string, double>> counts_;
};

}  // namespace culprit
