// SPDX-License-Identifier: Apache-2.0
#include "analysis/why/why.h"

#include "analysis/why/counterfactual.h"
#include "analysis/why/sources.h"

namespace culprit {

Explanation Why(const Database& database, const KernelRecord& base, const KernelRecord& candidate) {
  const KernelView from(base), to(candidate);
  Explanation explanation = Explain(from, to);
  if (explanation.causes.empty() && !explanation.decomposition) return explanation;
  AddCounterfactuals(from, to, LoadNeighbours(database, base, base, candidate),
                     LoadNeighbours(database, candidate, base, candidate), explanation);
  if (!explanation.causes.empty())
    AddSources(base, database.Instructions(base.id), candidate, database.Instructions(candidate.id), explanation);
  return explanation;
}

}  // namespace culprit
