// SPDX-License-Identifier: Apache-2.0
// Experiments that are already recorded: stages that differ from one of the two compared stages in one factor. The time
// that such a stage gains back by removing a suspected cause is stronger evidence than any counter.
//
// A stage X near the candidate accounts for (candidate - X) / (candidate - base) of the difference. A stage X near the
// base accounts for (X - base) / (candidate - base), the effect of its change alone.
//   confirmed     X accounts for a share well above the noise, in the right direction, and the cause went away. That
//                 is: the cause's part of the step to X has the opposite sign, beyond noise, and its symptom went back
//                 (without a symptom, a count of its evidence). If that part lies outside the cause's interval, the
//                 cause is partly confirmed.
//   refuted       The symptom went back, but the time did not change by more than scatter and noise floor.
//   inconclusive  The symptom did not move. Listed only if X's factor is changed for that cause alone (Topic). The note
//                 says why.
// A stage that is slower than both has a cost that neither has, so it proves nothing.
#pragma once
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/judge/why/explain.h"
#include "analysis/launch/compare.h"
#include "analysis/launch/kernel_view.h"
#include "db/database.h"

namespace culprit {

// Finds such stages in a database. Reads the stages of each run once, for any number of kernels.
class Neighbours {
 public:
  // The database must outlive it.
  explicit Neighbours(const Database& database) : database_(database) {}

  // Successful launches of stages that differ from `kernel` in one factor: in the same run, at the same shape, on the
  // same GPU. The stages are of its family and share an ancestor with it, because factors of unrelated stages may have
  // the same name and different meanings. The stages `base` and `candidate` are left out.
  std::vector<KernelRecord> Load(const KernelRecord& kernel, const KernelRecord& base,
                                 const KernelRecord& candidate) const;

  const Database& database() const { return database_; }

 private:
  // The stages of a run by family and root. A root is the first ancestor of a stage.
  struct Relatives {
    std::map<std::string, std::string> roots;  // by stage
    std::map<std::pair<std::string, std::string>, std::vector<StageRecord>> stages;
  };
  const Relatives& RelativesIn(RunId run) const;

  const Database& database_;
  mutable std::map<RunId, Relatives> runs_;
};

struct FactorTopic {
  std::string_view cause;
  bool made_for_it;  // see Topic
};
// The causes that the change removes: the old value of the factor makes the cause possible, and the new one does not.
// Empty for unknown factors.
std::vector<FactorTopic> CausesRemovedBy(const FactorChange& change);

// The causes of `explanation`, each with the stages that confirm or refute it. A refuted cause that `explanation` does
// not have is added with a part of 0. `near_base` and `near_candidate`: stages one factor away from the base and the
// candidate.
std::vector<CausePart> CausesWithProofs(const Explanation& explanation, const KernelView& base,
                                        const KernelView& candidate, std::span<const KernelRecord> near_base,
                                        std::span<const KernelRecord> near_candidate);

}  // namespace culprit
