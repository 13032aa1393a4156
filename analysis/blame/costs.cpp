// SPDX-License-Identifier: Apache-2.0
#include "analysis/blame/costs.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "analysis/blame/passes.h"
#include "analysis/blame/producers.h"
#include "analysis/blame/products.h"
#include "analysis/blame/spills.h"
#include "analysis/blame/subroutines.h"
#include "analysis/blame/walk_budget.h"

namespace culprit {
namespace {

constexpr const char* kIssued = "selected";
constexpr const char* kExecutions = "sass_inst";
// A block has no more warps, so that one of so many is the fewest that can hold the others up.
constexpr double kMostWarps = 32;

double Sum(const std::map<std::string, double>& by_reason) {
  double sum = 0;
  for (const auto& [reason, us] : by_reason) sum += us;
  return sum;
}

// Instructions that wait for the same have one answer, which may be long: what goes to it is summed first. In the order
// in which they came, so that sums are the same each time.
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
  // Answers of the finder, and the part that each has: any of them may be all instructions of a kernel.
  using Late = std::vector<std::pair<const Producers*, double>>;

  // What made warps late at a barrier.
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
  std::map<int, Producers> itself_;  // of those before which nothing was seen
  WalkBudget budget_;                // beyond it a barrier is blamed itself
};

}  // namespace

double InstructionCost::Waiting() const { return Sum(waiting_us); }
double InstructionCost::Blamed() const { return Sum(blamed_us); }

std::optional<double> FunctionCosts::Executions(int instruction) const {
  const BlockTrips& block = trips[graph.block_of[instruction]];
  return block.exact ? std::optional(block.trips) : std::nullopt;
}

std::vector<InstructionCost> ShareCosts(std::span<const SassInstruction> code, const FlowGraph& graph,
                                        std::span<const BlockTrips> trips, std::span<const double> passes,
                                        std::span<const ReasonSamples> samples, double us_per_sample) {
  return Sharer(code, graph, trips, passes, samples).Share(us_per_sample);
}

namespace {

// What is known of each instruction of a function.
struct Known {
  std::vector<ReasonSamples> samples;
  std::vector<const InstructionRecord*> counted;  // null: not counted
};

std::optional<double> ExecutionsOf(const InstructionRecord* counted) {
  if (counted == nullptr) return std::nullopt;
  const auto found = counted->counts.find(kExecutions);
  return found == counted->counts.end() ? std::nullopt : std::optional(found->second);
}

// Of global and local memory.
std::optional<double> SectorsOf(const InstructionRecord* counted) {
  std::optional<double> sectors;
  if (counted == nullptr) return sectors;
  for (const char* metric : {"sass_global_sectors", "sass_local_sectors"})
    if (const auto found = counted->counts.find(metric); found != counted->counts.end())
      sectors = sectors.value_or(0) + found->second;
  return sectors;
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
  // A sampler that does not say which samples issued: any tells how much of the time was spent there.
  if (std::ranges::all_of(estimate, [](double n) { return n == 0; })) estimate = issued(false);
  std::vector<std::optional<double>> executions;
  std::vector<double> passes;
  for (std::size_t i = 0; i < function.decoded.size(); ++i) {
    executions.push_back(ExecutionsOf(known.counted[i]));
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
