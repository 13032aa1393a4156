// SPDX-License-Identifier: Apache-2.0
// Bounds the length of an answer in JSON.
#pragma once
#include <cstddef>

#include "analysis/show/render/json_cell.h"

namespace culprit {

// Leaves the first `top` elements of every list in `json`, also of lists inside lists. Returns an object that says how
// many elements each list lost, by its path: {"lines.lines": 12, "causes[].evidence": 3}. Lists of one path are summed.
// A list that lost its parent is not counted.
OrderedJson CutLists(OrderedJson& json, std::size_t top);

// The report in JSON with its lists cut so, and what that returns as the key `left_out`. The list of a bare report is
// `rows` of an object then.
void RenderJson(const Report& report, std::ostream& out, std::size_t top);

}  // namespace culprit
