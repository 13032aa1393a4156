// SPDX-License-Identifier: Apache-2.0
#include "analysis/why/sampled_pair.h"

#include <utility>

#include "analysis/blame/local_access.h"
#include "analysis/blame/state_parts.h"
#include "analysis/kernel/kernel_view.h"

namespace culprit {
namespace {

std::optional<double> ArraysOf(const KernelCosts& kernel) {
  double arrays = 0, all = 0;
  for (const FunctionCosts& function : kernel.functions)
    for (const LocalAccess& access : LocalAccesses(function.decoded)) {
      const double us = function.costs[access.instruction].Blamed();
      all += us;
      if (access.place != LocalPlace::kSpill) arrays += us;
    }
  return all > 0 ? std::optional(arrays / all) : std::nullopt;
}

}  // namespace

std::map<Operation, double> SampledPair::Grew(std::string_view state, double sign) const {
  std::map<Operation, double> grew;
  for (const DifferentLine& line : lines.lines)
    for (const auto& [kind, us] : line.blamed_for)
      if (kind.second == state) grew[kind.first] += us * sign;
  std::erase_if(grew, [](const auto& entry) { return !(entry.second > 0); });
  return grew;
}

SampledPair CompareSamples(const KernelCosts& base, const KernelCosts& candidate, bool same_source) {
  return {CompareLines(base, candidate, same_source), ArraysOf(base), ArraysOf(candidate), PartsOf(base),
          PartsOf(candidate)};
}

std::vector<SourceQuote> QuotesOf(const SamplingRecord& sampling) {
  std::vector<SourceQuote> quotes;
  for (const MachineCode& code : sampling.code) quotes.insert(quotes.end(), code.quotes.begin(), code.quotes.end());
  return quotes;
}

std::optional<SampledPair> LoadSamples(const Database& database, const KernelRecord& base,
                                       const KernelRecord& candidate) {
  const auto load = [&](const KernelRecord& kernel, std::int64_t& period) -> std::shared_ptr<const SampledKernel> {
    const std::optional<SamplingRecord> sampling = database.Sampling(kernel.id);
    const Measured time_us = KernelView(kernel).Get("time_us");
    if (!sampling || !time_us) return nullptr;
    period = sampling->period_cycles;
    std::vector<InstructionRecord> counted = database.Instructions(kernel.id);
    KernelCosts costs = CostsOf(*time_us, *sampling, counted);
    return std::make_shared<const SampledKernel>(
        SampledKernel{std::move(costs), std::move(counted), QuotesOf(*sampling)});
  };
  std::int64_t base_period = 0, candidate_period = 0;
  const auto of_base = load(base, base_period);
  if (!of_base) return std::nullopt;
  const auto of_candidate = load(candidate, candidate_period);
  if (!of_candidate) return std::nullopt;
  SampledPair pair = CompareSamples(of_base->costs, of_candidate->costs, base.run.run.uuid == candidate.run.run.uuid);
  pair.base_period = base_period;
  pair.candidate_period = candidate_period;
  pair.base = of_base;
  pair.candidate = of_candidate;
  return pair;
}

}  // namespace culprit
