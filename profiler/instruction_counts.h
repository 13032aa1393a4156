// SPDX-License-Identifier: Apache-2.0
// Gathers CUPTI's values per instruction. Includes no CUPTI header, so it is tested without a GPU.
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
  // Adds up several values of one metric for one instruction.
  void Add(const std::string& function, std::int64_t pc_offset, const std::string& metric, double value);

  // Sorted by function and pc offset, without source lines. CUPTI may report 0 for a metric that does not apply, such
  // as the sectors of an FFMA. These zeros are left out. Two kinds of zeros are kept: sass_inst of an instruction that
  // never ran, and wavefronts or sectors of a memory instruction if all its threads were predicated off.
  std::vector<InstructionRecord> Records() const;

 private:
  std::map<std::pair<std::string, std::int64_t>, std::map<std::string, double>> counts_;
};

}  // namespace culprit
