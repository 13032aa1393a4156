// SPDX-License-Identifier: Apache-2.0
// In what two stages differ, by their own word. One change makes the pair a one-factor experiment.
#pragma once
#include <string>
#include <vector>

#include "db/records.h"

namespace culprit {

struct FactorChange {
  std::string factor;  // "loop nest"
  std::string base,
      candidate;  // "k->m->n", "m->n->k"; "none" where the stage does not state the factor, as view `edge`
};

// By factor.
std::vector<FactorChange> FactorChanges(const StageRecord& base, const StageRecord& candidate);

// "loop nest: k->m->n => m->n->k"
std::string ToText(const FactorChange& change);

}  // namespace culprit
