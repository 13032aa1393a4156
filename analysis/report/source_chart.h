// SPDX-License-Identifier: Apache-2.0
// Source as it stands in its files, with the microseconds of each line beside it.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analysis/render/report.h"
#include "analysis/report/lines_report.h"

namespace culprit {

// A line with a time. Of one kernel: `candidate_us` alone.
struct TimedLine {
  SourceFrame at;    // whose text is shown; line 0: there is none, `name` says what it is
  std::string name;  // as tables call it
  Measured base_us, candidate_us;
  std::string what = {};      // for what warps waited
  bool is_listed = true;      // else its time is shown only where the line stands near a listed one
  bool only_in_base = false;  // `at` is of the base
};

// None where no line is listed. `compares`: of two kernels; else `source` is asked for the candidate's.
std::optional<Chart> SourceChart(const std::vector<TimedLine>& lines, bool compares, const PairSource& source,
                                 std::string section);

}  // namespace culprit
