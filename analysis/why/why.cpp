// SPDX-License-Identifier: Apache-2.0
#include "analysis/why/why.h"

#include <utility>

#include "analysis/why/counterfactual.h"
#include "analysis/why/sampled_advice.h"
#include "analysis/why/sampled_sources.h"
#include "analysis/why/sources.h"

namespace culprit {
namespace {

Explanation WithNeighbours(const Neighbours& neighbours, const KernelView& base, const KernelView& candidate,
                           const std::optional<SampledPair>& sampled) {
  Explanation explanation = ExplainSampled(base, candidate, sampled ? &*sampled : nullptr);
  // Neighbours explain a difference; most pairs of a gate have none, and loading neighbours is most of the work.
  if (!IsDifference(explanation.verdict.speed)) return explanation;
  const auto near = [&](const KernelView& kernel) {
    return neighbours.Load(kernel.record(), base.record(), candidate.record());
  };
  AddCounterfactuals(base, candidate, near(base), near(candidate), explanation);
  return explanation;
}

}  // namespace

Explanation ExplainWithNeighbours(const Neighbours& neighbours, const KernelView& base, const KernelView& candidate) {
  return WithNeighbours(neighbours, base, candidate,
                        LoadSamples(neighbours.database(), base.record(), candidate.record()));
}

Explanation Why(const Neighbours& neighbours, const KernelRecord& base, const KernelRecord& candidate) {
  return Why(neighbours, base, candidate, LoadSamples(neighbours.database(), base, candidate));
}

Explanation Why(const Neighbours& neighbours, const KernelRecord& base, const KernelRecord& candidate,
                const std::optional<SampledPair>& sampled, ExaminedPair* examined) {
  const Database& database = neighbours.database();
  Explanation explanation = WithNeighbours(neighbours, KernelView(base), KernelView(candidate), sampled);
  if (!IsDifference(explanation.verdict.speed)) return explanation;
  ExaminedPair pair = sampled ? ExaminePair(base, candidate, *sampled) : ExaminedPair();
  if (!explanation.causes.empty())
    AddSources(base, database.Instructions(base.id), candidate, database.Instructions(candidate.id), explanation);
  if (sampled) {
    AddSampledSources(sampled->lines, explanation);
    AddSampledInstructions(*sampled, explanation);
    AddExamined(pair, explanation);
  }
  if (examined != nullptr) *examined = std::move(pair);
  return explanation;
}

}  // namespace culprit
