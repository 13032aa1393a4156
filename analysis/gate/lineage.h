// SPDX-License-Identifier: Apache-2.0
// Orders the stages of a study by the parents that they name, and chooses the shape of each tree.
#pragma once
#include <map>
#include <span>
#include <string>
#include <vector>

#include "db/records.h"

namespace culprit {

struct Member {
  std::string stage;
  std::string base;  // the stage to compare with; empty for the first stage of a chain and for the root of a tree
  int depth = 0;     // below its root; 0 in a chain
};

struct Lineage {
  std::vector<Member> members;  // in display order: each after its base
  bool is_tree = false;
};

// The members of each tree, root first; a chain is one tree.
std::vector<std::span<const Member>> Trees(const Lineage& lineage);

// Two names: the path along parents from the first to the second, up to their common ancestor and down again. More
// names: exactly these steps. Every name must be in `stages`. Throws culprit::Error if a name follows itself, or if
// parents do not connect the two; the text then lists the parents.
Lineage Chain(std::span<const StageRecord> stages, std::span<const std::string> names);

// Every stage of the family below its parent, depth first, in the order of `stages`. A parent outside the family
// becomes a root. Throws culprit::Error when the family has no step.
Lineage FamilyTree(std::span<const StageRecord> stages, const std::string& family);

// The shape at which a tree is studied. All its stages use one, because times at two shapes cannot be compared.
struct ShapeChoice {
  std::string shape;     // empty: none of the stages was launched
  std::string left_out;  // why the largest shape was not chosen, one sentence; empty: it was
};

// The shape at which most stages succeeded, the largest on a tie. `shapes`: squares before others of the same size. A
// shape's size is the product of its numbers, because kernels of a run may do different work at one shape. `right`: the
// number of stages that succeeded at a shape; no entry: none was launched. `stages`: the total number. `root` names the
// tree.
ShapeChoice ChooseShape(std::span<const std::string> shapes, const std::map<std::string, int>& right, int stages,
                        const std::string& root);

}  // namespace culprit
