// SPDX-License-Identifier: Apache-2.0
// A chain or trees of stages of one run. Explains each stage against its base. Each chain or tree is studied at one
// shape.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/gate/lineage.h"
#include "analysis/judge/why/explain.h"
#include "analysis/launch/compare.h"
#include "db/database.h"

namespace culprit {

// `shapes`: the shape of each tree, by root. `kernels`: the run's launches at this shape, by stage. `stages` includes
// stages without such a launch.
struct StudyInput {
  std::map<std::string, std::string, std::less<>> shapes;
  std::vector<StageRecord> stages;
  std::map<std::string, KernelRecord, std::less<>> kernels;
};

// The gain that `culprit show` would predict on the base for a cause that the step removed.
struct Prediction {
  std::string cause;
  double gain_us = 0;     // if the whole cause was removed
  bool is_bound = false;  // the gain is at most gain_us
};

struct StudyEdge {
  std::string base, candidate;
  std::vector<FactorChange> changes;  // one: a one-factor experiment
  Measured base_us, candidate_us;     // medians
  // None when a side has no time; `not_measured` then says which and why in a phrase.
  std::optional<Explanation> explanation;
  std::string not_measured;
  // For a faster step: the predicted gain of the largest removed cause for which show has an estimate.
  std::optional<Prediction> predicted = {};

  Measured DeltaUs() const { return candidate_us - base_us; }
  // Whether the verdict is slower or faster.
  bool IsDifferent() const;
};

struct StudyStage {
  std::string id;
  int depth = 0;                  // see Member
  std::string shape;              // of its tree; empty: no stage of the tree was launched
  Measured time_us;               // median
  Measured gflops;                // useful; undefined where the launch states no flop
  std::optional<StudyEdge> edge;  // from its base to this stage
};

// One cause in the sum over a chain.
struct ChainPart {
  std::string cause;  // an id of Causes()
  double delta_us = 0;
  // The step that contributed most, in the direction of the sum.
  std::string most_base, most_candidate;
  double most_us = 0;
};

// The sum over all steps. The parts and the three fields after them add up to DeltaUs().
struct ChainTotal {
  double base_us = 0, candidate_us = 0;
  double DeltaUs() const { return candidate_us - base_us; }
  std::vector<ChainPart> parts;    // largest first, parts in the direction of the sum before others
  double unexplained_us = 0;       // of steps that have causes
  double without_counters_us = 0;  // steps that are slower or faster and could not be decomposed
  double no_difference_us = 0;     // steps whose verdict is same or ambiguous
};

struct Study {
  std::string shape;  // the shape of all stages; empty: trees have different shapes
  bool is_tree = false;
  std::vector<StudyStage> stages;  // in the order of Lineage::members
  // Only for a chain in which every stage has a time.
  std::optional<ChainTotal> total;
};

Study MakeStudy(const StudyInput& input, const Lineage& lineage, const Explainer& explain = Explain);

}  // namespace culprit
