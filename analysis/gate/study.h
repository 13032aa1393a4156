// SPDX-License-Identifier: Apache-2.0
// A chain or trees of stages of one run, each explained beside the one it was changed from. A chain or tree is studied
// at one shape.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/gate/lineage.h"
#include "analysis/kernel/factor_change.h"
#include "analysis/why/explainer.h"
#include "db/database.h"

namespace culprit {

// `shapes` of the trees, by their roots, and what one run has there, by stage; `stages` also has those that it never
// launched there.
struct StudyInput {
  std::map<std::string, std::string, std::less<>> shapes;
  std::vector<StageRecord> stages;
  std::map<std::string, KernelRecord, std::less<>> kernels;
};

// What `culprit show` would have said of the base before the step was made: of a cause that the step then took away.
struct Prediction {
  std::string cause;
  double gain_us = 0;     // if all of the cause went
  bool is_bound = false;  // at most that
};

struct StudyEdge {
  std::string base, candidate;
  std::vector<FactorChange> changes;  // one: a one-factor experiment
  Measured base_us, candidate_us;     // medians
  // None when a side has no time; `not_measured` then says which and why, one phrase.
  std::optional<Explanation> explanation;
  std::string not_measured;
  // Of a faster step, for the largest cause that went and of which show has an estimate; none where it has of none.
  std::optional<Prediction> predicted = {};

  Measured DeltaUs() const { return candidate_us - base_us; }
  // The verdict is slower or faster: there is a difference to explain.
  bool IsDifferent() const;
};

struct StudyStage {
  std::string id;
  int depth = 0;                  // see Member
  std::string shape;              // of its tree; empty: none of it was launched
  Measured time_us;               // median
  Measured gflops;                // useful; undefined where the launch states no flop
  std::optional<StudyEdge> edge;  // from its base
};

// One line of what a chain sums to.
struct ChainPart {
  std::string cause;  // an id of Causes()
  double delta_us = 0;
  // The step that put most into it, in the direction of the sum.
  std::string most_base, most_candidate;
  double most_us = 0;
};

// The differences of all steps; the parts, and what follows them, sum to delta_us.
struct ChainTotal {
  double base_us = 0, candidate_us = 0;
  double DeltaUs() const { return candidate_us - base_us; }
  std::vector<ChainPart> parts;    // largest first, those in the direction of the sum before the others
  double unexplained_us = 0;       // of steps that have causes
  double without_counters_us = 0;  // steps that are slower or faster and could not be decomposed
  double no_difference_us = 0;     // steps whose verdict is same or ambiguous
};

struct Study {
  std::string shape;  // of all stages; empty: trees differ
  bool is_tree = false;
  std::vector<StudyStage> stages;  // as Lineage::members
  // Of a chain all of whose stages have a time.
  std::optional<ChainTotal> total;
};

Study MakeStudy(const StudyInput& input, const Lineage& lineage, const Explainer& explain = Explain);

}  // namespace culprit
