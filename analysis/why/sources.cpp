// SPDX-License-Identifier: Apache-2.0
#include "analysis/why/sources.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/kernel/instruction_class.h"
#include "analysis/render/format.h"

namespace culprit {
namespace {

constexpr std::size_t kMostLines = 3;
// A line with a hundredth of what was counted is not where the cause is.
constexpr double kLeastShare = 0.01;

// What makes a cause, counted at one instruction.
using Count = double (*)(const InstructionRecord&);

struct Counted {
  std::string_view cause;
  std::string_view what;  // "local loads and stores"
  Count count;
};

double Local(const InstructionRecord& i) {
  return CountOf(i, "sass_local_load_inst") + CountOf(i, "sass_local_store_inst");
}
double ExcessWavefronts(const InstructionRecord& i) {
  // An access of which one of the two was not counted says nothing about conflicts.
  const bool both = i.counts.contains("sass_shared_wavefronts") && i.counts.contains("sass_shared_wavefronts_ideal");
  return both ? CountOf(i, "sass_shared_wavefronts") - CountOf(i, "sass_shared_wavefronts_ideal") : 0;
}
double Wavefronts(const InstructionRecord& i) { return CountOf(i, "sass_shared_wavefronts_ideal"); }
// Of the widths that one access of a lane can have, the widest, 128 bits, is left out.
bool IsNarrow(const InstructionRecord& i) {
  return CountOf(i, "sass_memory_8b_inst") + CountOf(i, "sass_memory_16b_inst") + CountOf(i, "sass_memory_32b_inst") +
             CountOf(i, "sass_memory_64b_inst") >
         0;
}
double NarrowShared(const InstructionRecord& i) { return IsNarrow(i) ? CountOf(i, "sass_shared_inst") : 0; }
double ExcessSectors(const InstructionRecord& i) {
  const bool both = i.counts.contains("sass_global_sectors") && i.counts.contains("sass_global_sectors_ideal");
  return both ? CountOf(i, "sass_global_sectors") - CountOf(i, "sass_global_sectors_ideal") : 0;
}
double NarrowGlobal(const InstructionRecord& i) { return IsNarrow(i) ? CountOf(i, "sass_global_inst") : 0; }
double Sectors(const InstructionRecord& i) { return CountOf(i, "sass_global_sectors"); }
double GlobalLoads(const InstructionRecord& i) { return CountOf(i, "sass_global_load_inst"); }
double Barriers(const InstructionRecord& i) { return i.opcode == "BAR" ? CountOf(i, "sass_inst") : 0; }
double Atomics(const InstructionRecord& i) {
  // Whole opcodes: REDUX reduces over a warp's registers and touches no memory.
  constexpr std::string_view kAtomics[] = {"ATOM", "ATOMG", "ATOMS", "RED", "REDG", "REDS"};
  const bool atomic = std::find(std::begin(kAtomics), std::end(kAtomics), i.opcode) != std::end(kAtomics);
  return atomic ? std::max(CountOf(i, "sass_inst"), CountOf(i, "sass_global_inst")) : 0;
}

constexpr Counted kCounted[] = {
    {"local_memory_array", "local loads and stores", Local},
    {"local_memory_spill", "local loads and stores", Local},
    {"local_memory_unknown", "local loads and stores", Local},
    {"shared_bank_conflicts", "excess wavefronts", ExcessWavefronts},
    {"shared_access_width", "shared accesses below 128 bits", NarrowShared},
    {"shared_traffic", "shared wavefronts without conflicts", Wavefronts},
    {"global_uncoalesced", "excess sectors", ExcessSectors},
    {"global_access_width", "global accesses below 128 bits", NarrowGlobal},
    {"l2_traffic", "global sectors", Sectors},
    {"dram_traffic", "global sectors", Sectors},
    {"exposed_latency", "global loads", GlobalLoads},
    {"barrier", "barriers", Barriers},
    {"atomics", "atomics", Atomics},
};

std::vector<CauseSource> Lines(std::span<const InstructionRecord> instructions, const Counted& counted) {
  std::map<std::pair<std::string, int>, double> by_line;
  double all = 0;
  for (const InstructionRecord& i : instructions) {
    const double count = std::max(0.0, counted.count(i));
    all += count;
    if (!i.source_file.empty() && count > 0) by_line[{i.source_file, i.source_line}] += count;
  }
  std::vector<std::pair<std::pair<std::string, int>, double>> sorted(by_line.begin(), by_line.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<CauseSource> sources;
  for (const auto& [line, count] : sorted) {
    if (sources.size() == kMostLines || count < kLeastShare * all) break;
    sources.push_back({line.first, line.second, fmt::format("{}: {}", counted.what, Format(count, Unit::kCount))});
  }
  return sources;
}

}  // namespace

void AddSources(const KernelRecord& base, std::span<const InstructionRecord> base_instructions,
                const KernelRecord& candidate, std::span<const InstructionRecord> candidate_instructions,
                Explanation& explanation) {
  for (CausePart& part : explanation.causes) {
    const bool in_base = part.delta_us < 0;
    const auto counted =
        std::find_if(std::begin(kCounted), std::end(kCounted), [&](const Counted& c) { return c.cause == part.cause; });
    if (counted != std::end(kCounted))
      part.source = Lines(in_base ? base_instructions : candidate_instructions, *counted);
    const StageRecord& stage = (in_base ? base : candidate).stage;
    if (part.source.empty() && !stage.source_file.empty()) part.source = {{stage.source_file, stage.source_line, ""}};
  }
}

}  // namespace culprit
