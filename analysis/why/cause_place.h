// SPDX-License-Identifier: Apache-2.0
// The place of a cause: its first line, with all that counts or samples do not tell from it. Every report names it by
// this.
#pragma once
#include <string>
#include <vector>

#include "analysis/render/line_ranges.h"
#include "analysis/why/explain.h"

namespace culprit {

struct CausePlace {
  std::vector<LineRange> lines;  // empty: not known
  std::string kernel;            // not empty: no line is known, and `lines` is where this kernel begins
};
CausePlace PlaceOf(const CausePart& cause);

// "a.cu:26-28", or "kernel v1_6 (a.cu:3)" where no line is known; empty: not known.
std::string ToText(const CausePlace& place);

}  // namespace culprit
