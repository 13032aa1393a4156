// SPDX-License-Identifier: Apache-2.0
// Which stages stand beside which in a study: steps along the parents that stages name.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "db/records.h"

namespace culprit {

struct Member {
  std::string stage;
  std::string base;  // the stage it stands beside; empty for the first of a chain and a root of a tree
  int depth = 0;     // below its root; 0 in a chain
};

struct Lineage {
  std::vector<Member> members;  // in order of display: each after its base
  bool is_tree = false;
};

// The members of each tree, its root first; a chain is one.
std::vector<std::span<const Member>> Trees(const Lineage& lineage);

// Two names: the path along the parents from the first to the last, up to the ancestor that both have and down again.
// More names: exactly these steps. Every name must be of one of `stages`. Throws culprit::Error for a name that is
// followed by itself, and when parents connect no path: the text then says what the parents are.
Lineage Chain(std::span<const StageRecord> stages, std::span<const std::string> names);

// Every stage of the family below its parent, depth first, in the order of `stages`. A parent outside the family is a
// root above its children. Throws culprit::Error when the family has no step.
Lineage FamilyTree(std::span<const StageRecord> stages, const std::string& family);

}  // namespace culprit
