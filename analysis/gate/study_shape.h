// SPDX-License-Identifier: Apache-2.0
// At which shape a tree of stages is studied: all at one, because times at two shapes cannot be held against each
// other.
#pragma once
#include <map>
#include <span>
#include <string>
#include <vector>

namespace culprit {

struct ShapeChoice {
  std::string shape;     // empty: none of the stages was launched
  std::string left_out;  // why the largest shape is not the one, one sentence; empty: it is
};

// Where most of the stages ended well, the largest among equals. `shapes`: squares before others of their size; a
// shape's size is the product of its numbers, since a run may hold kernels that do unlike work at one shape. `right`:
// how many stages ended well there; a shape without an entry launched none. `stages`: how many there are; `root` names
// them.
ShapeChoice ChooseShape(std::span<const std::string> shapes, const std::map<std::string, int>& right, int stages,
                        const std::string& root);

}  // namespace culprit
