// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/why/sampled_pair.h"

#include <utility>

#include "analysis/judge/blame/costs.h"
#include "analysis/launch/kernel_view.h"
#include "profiler/code/local_access.h"

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

std::optional<KernelCosts> LoadCode(const Database& database, const KernelRecord& kernel) {
  const std::optional<SamplingRecord> own = database.Sampling(kernel.id);
  if (own && !own->code.empty()) return CostsOf(KernelView(kernel).Get("time_us").value().value_or(0), *own);
  // The code of a program's kernel is stored with one of its launches.
  for (const LaunchId other : database.Launches(kernel.run.id, "", Ordinals::kAll, kernel.stage.id)) {
    const std::optional<SamplingRecord> sampling = database.Sampling(other);
    if (!sampling || sampling->code.empty()) continue;
    SamplingRecord code;
    code.code = sampling->code;
    return CostsOf(0, code);
  }
  return std::nullopt;
}

std::shared_ptr<const SampledKernel> LoadSampled(const Database& database, const KernelRecord& kernel) {
  const std::optional<SamplingRecord> sampling = database.Sampling(kernel.id);
  const Measured time_us = KernelView(kernel).Get("time_us");
  if (!sampling || sampling->samples == 0 || !time_us) return nullptr;
  std::vector<InstructionRecord> counted = database.Instructions(kernel.id);
  KernelCosts costs = CostsOf(*time_us, *sampling, counted);
  return std::make_shared<const SampledKernel>(
      SampledKernel{std::move(costs), std::move(counted), QuotesOf(*sampling), sampling->period_cycles});
}

std::optional<SampledPair> LoadSamples(const Database& database, const KernelRecord& base,
                                       const KernelRecord& candidate) {
  const auto of_base = LoadSampled(database, base);
  if (!of_base) return std::nullopt;
  const auto of_candidate = LoadSampled(database, candidate);
  if (!of_candidate) return std::nullopt;
  SampledPair pair = CompareSamples(of_base->costs, of_candidate->costs, base.run.run.uuid == candidate.run.run.uuid);
  pair.base = of_base;
  pair.candidate = of_candidate;
  return pair;
}

}  // namespace culprit
