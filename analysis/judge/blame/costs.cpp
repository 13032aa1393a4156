// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/blame/costs.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "analysis/launch/instruction_counts.h"
#include "profiler/code/chip.h"
#include "profiler/code/operation.h"
#include "profiler/code/producers.h"
#include "profiler/code/products.h"
#include "profiler/code/spills.h"
#include "profiler/code/subroutines.h"
#include "profiler/code/walk_budget.h"

namespace culprit {
namespace {

constexpr const char* kIssued = "selected";
// A block has at most this many warps, so at least one warp in this many is late.
constexpr double kMostWarps = 32;

constexpr double kBankBytes = 4, kSpecialPasses = 2, kWarp = 32;

double Sum(const std::map<std::string, double>& by_reason) {
  double sum = 0;
  for (const auto& [reason, us] : by_reason) sum += us;
  return sum;
}

// Instructions that wait for the same thing share one list of producers, which may be long. So their waiting is summed
// first. The order is that of the first use, so that sums are the same each time.
template <class Sum>
struct Sums {
  std::vector<std::pair<const Producers*, Sum>> all;

  Sum& Of(const Producers& producers) {
    const auto [at, is_new] = index.try_emplace(&producers, all.size());
    if (is_new) all.emplace_back(&producers, Sum());
    return all[at->second].second;
  }

 private:
  std::unordered_map<const Producers*, std::size_t> index;
};

class Sharer {
 public:
  Sharer(std::span<const SassInstruction> code, const FlowGraph& graph, std::span<const BlockTrips> trips,
         std::span<const double> passes, std::span<const ReasonSamples> samples)
      : graph_(graph), trips_(trips), samples_(samples), finder_(code, graph, trips, passes) {}

  std::vector<InstructionCost> Share(double us_per_sample) {
    std::vector<InstructionCost> costs(samples_.size());
    Sums<ReasonSamples> to;
    for (int i = 0; i < static_cast<int>(samples_.size()); ++i)
      for (const auto& [reason, n] : samples_[i]) {
        if (!(n > 0)) continue;
        costs[i].waiting_us[reason] += n * us_per_sample;
        const Producers& producers = finder_.Of(i, reason);
        if (reason != kBarrierReason || !finder_.IsForWarps(i))
          to.Of(producers)[reason] += n;
        else
          for (const Producer& bar : producers) {
            const Late& all = LateAt(bar.instruction);
            if (!budget_.Take(std::ssize(all))) {
              costs[bar.instruction].blamed_us[reason] += n * bar.share * us_per_sample;
            } else {
              for (const auto& [late, part] : all) to.Of(*late)[reason] += n * bar.share * part;
            }
            costs[bar.instruction].met_us += n * bar.share * us_per_sample;
          }
      }
    for (const auto& [producers, by_reason] : to.all)
      for (const Producer& p : *producers)
        for (const auto& [reason, n] : by_reason) costs[p.instruction].blamed_us[reason] += n * p.share * us_per_sample;
    return costs;
  }

 private:
  // Lists of producers, each with its part. A list may have all instructions of a kernel.
  using Late = std::vector<std::pair<const Producers*, double>>;

  // The instructions that made warps late at a barrier.
  const Late& LateAt(int bar) {
    const auto [found, is_new] = late_.try_emplace(bar);
    if (!is_new) return found->second;
    const double all_warps = trips_[graph_.block_of[bar]].trips;
    Sums<double> to;
    double all = 0;
    for (const int i : finder_.BeforeBarrier(bar)) {
      const double trips = trips_[graph_.block_of[i]].trips;
      const double warps = all_warps > 0 ? std::clamp(trips / all_warps, 1 / kMostWarps, 1.0) : 1;
      for (const auto& [reason, n] : samples_[i]) {
        if ((reason == kBarrierReason && finder_.IsForWarps(i)) || !(n > 0)) continue;
        to.Of(finder_.Of(i, reason)) += n / warps;
        all += n / warps;
      }
    }
    for (const auto& [producers, n] : to.all) found->second.emplace_back(producers, n / all);
    if (found->second.empty())
      found->second.emplace_back(&itself_.try_emplace(bar, Producers{{bar, 1}}).first->second, 1);
    return found->second;
  }

  const FlowGraph& graph_;
  std::span<const BlockTrips> trips_;
  std::span<const ReasonSamples> samples_;
  ProducerFinder finder_;
  std::map<int, Late> late_;         // by barrier
  std::map<int, Producers> itself_;  // for barriers without samples before them
  WalkBudget budget_;                // when it is used up, a barrier itself is blamed
};

}  // namespace

double InstructionCost::Waiting() const { return Sum(waiting_us); }
double InstructionCost::Blamed() const { return Sum(blamed_us); }

std::optional<double> FunctionCosts::Executions(int instruction) const {
  const BlockTrips& block = trips[graph.block_of[instruction]];
  return block.exact ? std::optional(block.trips) : std::nullopt;
}

double PassesOf(const SassInstruction& instruction, const InstructionRecord* counted) {
  const double narrowest = std::max(1.0, instruction.access_bytes / kBankBytes);
  switch (FindOperation(instruction.mnemonic).operation) {
    case Operation::kSharedLoad:
    case Operation::kSharedStore:
    case Operation::kSharedAtomic:
      return std::max(1.0, CountedEach(counted, "sass_shared_wavefronts").value_or(narrowest));
    case Operation::kGlobalLoad:
    case Operation::kGlobalStore:
    case Operation::kGlobalAtomic:
    case Operation::kGenericLoad:
    case Operation::kGenericStore:
    case Operation::kAsyncCopy: {
      const auto sectors = CountedEach(counted, "sass_global_sectors"),
                 ideal = CountedEach(counted, "sass_global_sectors_ideal");
      return sectors && ideal ? narrowest + std::max(0.0, *sectors - *ideal) : narrowest;
    }
    case Operation::kLocalLoad:
    case Operation::kLocalStore: {
      const auto sectors = CountedEach(counted, "sass_local_sectors");
      return sectors ? narrowest + std::max(0.0, *sectors - kWarp * narrowest * kBankBytes / kSectorBytes) : narrowest;
    }
    case Operation::kSpecialFunction:
    case Operation::kConversion:
      return kSpecialPasses;
    default:
      return 1;
  }
}

std::vector<InstructionCost> ShareCosts(std::span<const SassInstruction> code, const FlowGraph& graph,
                                        std::span<const BlockTrips> trips, std::span<const double> passes,
                                        std::span<const ReasonSamples> samples, double us_per_sample) {
  return Sharer(code, graph, trips, passes, samples).Share(us_per_sample);
}

namespace {

// The counts of each instruction of a function.
struct Known {
  std::vector<ReasonSamples> samples;
  std::vector<const InstructionRecord*> counted;  // null: not counted
};

// The sectors of global and local memory.
std::optional<double> SectorsOf(const InstructionRecord* counted) {
  const std::optional<double> global = Counted(counted, "sass_global_sectors"),
                              local = Counted(counted, "sass_local_sectors");
  return global && local ? *global + *local : global ? global : local;
}

FunctionCosts CostsOfFunction(const MachineCode& code, const Known& known, double us_per_sample) {
  FunctionCosts function;
  function.code = code;
  const int architecture = ArchitectureOf(code.instructions);
  for (const MachineInstruction& i : code.instructions)
    function.decoded.push_back(DecodeSass(i.low, i.high, i.pc_offset, architecture));
  function.graph = MakeFlowGraph(function.decoded);
  const auto issued = [&](bool alone) {
    std::vector<double> all;
    for (const ReasonSamples& samples : known.samples) {
      const auto found = samples.find(kIssued);
      all.push_back(!alone ? Sum(samples) : found == samples.end() ? 0 : found->second);
    }
    return all;
  };
  std::vector<double> estimate = issued(true);
  // If no sample is marked as issued, all samples are used, because they show how much time was spent there.
  if (std::ranges::all_of(estimate, [](double n) { return n == 0; })) estimate = issued(false);
  std::vector<std::optional<double>> executions;
  std::vector<double> passes;
  for (std::size_t i = 0; i < function.decoded.size(); ++i) {
    executions.push_back(Counted(known.counted[i], "sass_inst"));
    function.sectors.push_back(SectorsOf(known.counted[i]));
    passes.push_back(PassesOf(function.decoded[i], known.counted[i]));
  }
  function.trips = TripsOf(function.graph, executions, estimate);
  function.lanes = LaneCountsOf(function.decoded, function.graph, function.trips, known.counted);
  PlaceSubroutinesAtTheirCalls(function.decoded, function.graph, function.trips, function.code);
  PlaceProductsAtTheirFactors(function.decoded, function.graph, function.code);
  PlaceSpillsAtTheirUses(function.decoded, function.graph, function.trips, function.code);
  function.costs = ShareCosts(function.decoded, function.graph, function.trips, passes, known.samples, us_per_sample);
  return function;
}

}  // namespace

KernelCosts CostsOf(double time_us, const SamplingRecord& sampling, std::span<const InstructionRecord> counted) {
  std::map<std::string_view, const MachineCode*> code;
  std::map<std::string_view, Known> known;
  for (const MachineCode& function : sampling.code) {
    if (function.instructions.empty() || !code.emplace(function.function, &function).second) continue;
    known[function.function] = {std::vector<ReasonSamples>(function.instructions.size()),
                                std::vector<const InstructionRecord*>(function.instructions.size())};
  }
  const auto find = [&](const std::string& function, std::int64_t pc_offset) -> std::optional<std::size_t> {
    const auto found = code.find(function);
    if (found == code.end()) return std::nullopt;
    const auto& all = found->second->instructions;
    const auto at = std::ranges::lower_bound(all, pc_offset, {}, &MachineInstruction::pc_offset);
    if (at == all.end() || at->pc_offset != pc_offset) return std::nullopt;
    return static_cast<std::size_t>(at - all.begin());
  };
  double in_rows = 0, with_instruction = 0;
  for (const PcSample& row : sampling.rows) {
    const auto samples = static_cast<double>(std::max<std::int64_t>(0, row.samples));
    in_rows += samples;
    if (const auto at = find(row.function, row.pc_offset)) {
      known[row.function].samples[*at][row.reason] += samples;
      with_instruction += samples;
    }
  }
  for (const InstructionRecord& i : counted)
    if (const auto at = find(i.function, i.pc_offset)) known[i.function].counted[*at] = &i;

  KernelCosts costs{.time_us = time_us, .samples = sampling.samples};
  const double all = std::max(static_cast<double>(sampling.samples), in_rows);
  const double us_per_sample = all > 0 ? time_us / all : 0;
  for (const MachineCode& function : sampling.code) {
    const auto found = code.find(function.function);
    if (found != code.end() && found->second == &function)
      costs.functions.push_back(CostsOfFunction(function, known[function.function], us_per_sample));
  }
  costs.unknown_us = all > 0 ? time_us * (all - with_instruction) / all : time_us;
  return costs;
}

}  // namespace culprit
