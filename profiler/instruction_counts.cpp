// SPDX-License-Identifier: Apache-2.0
#include "profiler/instruction_counts.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace culprit {
namespace {

// A class of memory instructions and the counts that apply to it, even when they are 0.
struct Applies {
  std::string_view instructions;  // a metric that is non-zero for instructions of this class
  std::array<std::string_view, 4> counts;
};
constexpr std::array kApplies{
    Applies{"sass_shared_inst", {"sass_shared_wavefronts", "sass_shared_wavefronts_ideal"}},
    Applies{"sass_global_inst", {"sass_global_sectors", "sass_global_sectors_ideal"}},
    Applies{"sass_local_inst", {"sass_local_sectors"}},
    // Copies from global to shared memory that bypass registers.
    Applies{
        "sass_ldgsts_inst",
        {"sass_shared_wavefronts", "sass_shared_wavefronts_ideal", "sass_global_sectors", "sass_global_sectors_ideal"}},
};

// Metrics that apply to every instruction.
bool IsOfAll(std::string_view metric) { return metric == "sass_inst" || metric == "sass_thread_inst_on"; }

bool Says(const std::map<std::string, double>& counts, const std::string& metric, double value) {
  if (value != 0 || IsOfAll(metric)) return true;
  return std::any_of(kApplies.begin(), kApplies.end(), [&](const Applies& a) {
    const auto found = counts.find(std::string(a.instructions));
    return found != counts.end() && found->second != 0 &&
           std::find(a.counts.begin(), a.counts.end(), metric) != a.counts.end();
  });
}

}  // namespace

void InstructionCounts::Add(const std::string& function, std::int64_t pc_offset, const std::string& metric,
                            double value) {
  counts_[{function, pc_offset}][metric] += value;
}

std::vector<InstructionRecord> InstructionCounts::Records() const {
  std::vector<InstructionRecord> records;
  for (const auto& [key, counts] : counts_) {
    InstructionRecord record;
    record.function = key.first;
    record.pc_offset = key.second;
    for (const auto& [metric, value] : counts)
      if (Says(counts, metric, value)) record.counts[metric] = value;
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace culprit
