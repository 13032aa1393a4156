// SPDX-License-Identifier: Apache-2.0
// Experiments that someone has already made: stages that differ from one of the two compared in one factor. What such a
// stage gains back when one suspected cause is taken away says more than any counter.
//
// A stage X near the candidate accounts for (candidate - X) / (candidate - base) of the difference; one near the base
// for (X - base) / (candidate - base): what its change alone, made to the base, brings about. It
//   confirms a cause  when it accounts for a share of the difference well above the noise, in the right direction, and
//                     the cause is what gave way: its part of the step to X goes the other way, by more than noise,
//                     and its symptom went back (of a cause without one, a count of its evidence). In full when that
//                     part lies inside the cause's interval, else partly
//   refutes a cause   when it accounts for nothing that scatter and noise floor could hide, and the symptom went back
//                     all the same. A stage whose factor is changed for that cause alone (factor_topics.h) is listed
//                     also when its symptom did not move: it is inconclusive, and the note says why
// A stage that is slower than both has something that neither has, and says nothing.
#pragma once
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/kernel/kernel_view.h"
#include "analysis/why/explain.h"
#include "db/database.h"

namespace culprit {

// Finds them in a database. Reads the stages of a run once, for however many kernels it is asked.
class Neighbours {
 public:
  // The database must outlive it.
  explicit Neighbours(const Database& database) : database_(database) {}

  // Launches that ended well, of the same run, shape and GPU as `kernel`, of stages one factor away from it that are of
  // its family and share an ancestor with it: factors of unrelated stages may bear one name and mean different things.
  // Without those of the stages `base` and `candidate`.
  std::vector<KernelRecord> Load(const KernelRecord& kernel, const KernelRecord& base,
                                 const KernelRecord& candidate) const;

  const Database& database() const { return database_; }

 private:
  // The stages of a run by family and root: the name at the top of the parents that lead to a stage.
  struct Relatives {
    std::map<std::string, std::string> roots;  // by stage
    std::map<std::pair<std::string, std::string>, std::vector<StageRecord>> stages;
  };
  const Relatives& RelativesIn(RunId run) const;

  const Database& database_;
  mutable std::map<RunId, Relatives> runs_;
};

// Attaches them to the causes of `explanation`; a cause that only a refutation speaks of gets a part of 0. Does nothing
// when there is no difference to explain. `near_base` and `near_candidate`: one factor away from the base, the
// candidate.
void AddCounterfactuals(const KernelView& base, const KernelView& candidate, std::span<const KernelRecord> near_base,
                        std::span<const KernelRecord> near_candidate, Explanation& explanation);

}  // namespace culprit
