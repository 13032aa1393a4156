// SPDX-License-Identifier: Apache-2.0
// Shows source code with the microseconds of each line.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analysis/show/render/report.h"
#include "analysis/show/report/lines_report.h"

namespace culprit {

// A line with a time. A single kernel has only `candidate_us`.
struct TimedLine {
  SourceFrame at;    // the line to show; line 0: no text, see `name`
  std::string name;  // its name in tables
  Measured base_us, candidate_us;
  std::string what = {};      // what warps waited for
  bool is_listed = true;      // false: it is shown only if a listed line is near
  bool only_in_base = false;  // `at` is in the base
};

// None when no line is listed. `compares`: two kernels; otherwise only the candidate's `source` is used.
std::optional<Chart> SourceChart(const std::vector<TimedLine>& lines, bool compares, const PairSource& source,
                                 std::string section);

}  // namespace culprit
