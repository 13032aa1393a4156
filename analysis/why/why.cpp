// SPDX-License-Identifier: Apache-2.0
#include "analysis/why/why.h"

#include "analysis/why/counterfactual.h"
#include "analysis/why/sampled_advice.h"
#include "analysis/why/sampled_sources.h"
#include "analysis/why/sources.h"

namespace culprit {

Explanation ExplainWithNeighbours(const Database& database, const KernelView& base, const KernelView& candidate) {
  Explanation explanation = Explain(base, candidate);
  // Neighbours explain a difference; most pairs of a gate have none, and loading neighbours is most of the work.
  if (!IsDifference(explanation.verdict.speed)) return explanation;
  const auto near = [&](const KernelView& kernel) {
    return LoadNeighbours(database, kernel.record(), base.record(), candidate.record());
  };
  AddCounterfactuals(base, candidate, near(base), near(candidate), explanation);
  return explanation;
}

Explanation Why(const Database& database, const KernelRecord& base, const KernelRecord& candidate) {
  Explanation explanation = ExplainWithNeighbours(database, KernelView(base), KernelView(candidate));
  if (explanation.causes.empty()) return explanation;
  AddSources(base, database.Instructions(base.id), candidate, database.Instructions(candidate.id), explanation);
  if (const auto lines = SampledDifference(database, base, candidate)) {
    AddSampledSources(*lines, explanation);
    AddAdvice(AdviceOnDifference(database, base, candidate, *lines), explanation);
  }
  return explanation;
}

}  // namespace culprit
