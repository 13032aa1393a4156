// SPDX-License-Identifier: Apache-2.0
#include "analysis/why/sampled_advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "analysis/kernel/kernel_view.h"

namespace culprit {
namespace {

// Of the difference: what came with less of it is not what to change.
constexpr double kLeastShare = 0.05;

struct OfCause {
  std::string_view advice, cause;
};
constexpr OfCause kCauses[] = {{"local_array", "local_memory_array"},
                               {"spill", "local_memory_spill"},
                               {"bank_conflicts", "shared_bank_conflicts"},
                               {"uncoalesced", "global_uncoalesced"},
                               {"narrow", "global_access_width"},
                               {"narrow", "shared_access_width"},
                               {"double", "fp64_pipe"},
                               {"load_early", "exposed_latency"},
                               {"load_chain", "exposed_latency"},
                               {"barrier_in_loop", "barrier"}};

std::optional<std::vector<Advice>> AdviceOnKernel(const Database& database, const KernelRecord& kernel) {
  const std::optional<SamplingRecord> sampling = database.Sampling(kernel.id);
  const Measured time_us = KernelView(kernel).Get("time_us");
  if (!sampling || !time_us) return std::nullopt;
  const std::vector<InstructionRecord> counted = database.Instructions(kernel.id);
  return AdviceOn(QuestionOf(kernel, CostsOf(*time_us, *sampling, counted), counted));
}

}  // namespace

std::vector<DifferenceAdvice> AdviceOnDifference(const Database& database, const KernelRecord& base,
                                                 const KernelRecord& candidate) {
  const auto of_base = AdviceOnKernel(database, base);
  if (!of_base) return {};
  const auto of_candidate = AdviceOnKernel(database, candidate);
  if (!of_candidate) return {};
  const double delta_us = KernelView(candidate).At("time_us") - KernelView(base).At("time_us");
  const bool base_is_slower = delta_us < 0;
  // What is true of the other kernel as well made no difference: of each kind as many microseconds as it has there.
  std::vector<Advice> other = base_is_slower ? *of_candidate : *of_base;
  std::vector<DifferenceAdvice> all;
  for (const Advice& advice : base_is_slower ? *of_base : *of_candidate) {
    DifferenceAdvice more{advice, base_is_slower, advice.us};
    for (Advice& there : other) {
      if (there.id != advice.id) continue;
      const double both = std::min(more.more_us, there.us);
      more.more_us -= both;
      there.us -= both;
    }
    if (more.more_us > 0 && more.more_us >= kLeastShare * std::abs(delta_us)) all.push_back(std::move(more));
  }
  std::ranges::stable_sort(all, std::ranges::greater(), &DifferenceAdvice::more_us);
  return all;
}

void AddAdvice(const std::vector<DifferenceAdvice>& advice, Explanation& explanation) {
  for (CausePart& part : explanation.causes) {
    if (part.delta_us * explanation.DeltaUs() <= 0) continue;
    for (const DifferenceAdvice& more : advice) {
      const bool is_of_cause = std::ranges::any_of(
          kCauses, [&](const OfCause& of) { return of.advice == more.advice.id && of.cause == part.cause; });
      if (!is_of_cause || more.advice.at.line == 0) continue;
      part.to_do.push_back({more.advice.at.file, more.advice.at.line, std::string(more.advice.id), more.advice.finding,
                            more.advice.action});
    }
  }
}

}  // namespace culprit
