// SPDX-License-Identifier: Apache-2.0
// What a GPU counted for access patterns, as text: tests/bank_patterns/measured_*.csv. Rows stand for themselves, so a
// file remains good when the list of patterns changes.
#pragma once
#include <istream>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "tests/bank_patterns/patterns.h"

namespace culprit::testing {

struct MeasuredPattern {
  BankPattern pattern;
  // Of one execution, exact: CUPTI's smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared and its _ideal.
  int wavefronts = 0;
  int ideal = 0;
  // The hardware's own counter, l1tex__data_pipe_lsu_wavefronts_mem_shared, over 100 executions by a warp that has the
  // SM to itself, less what the launch alone counts, per execution. Code that is patched, which gives the two above,
  // has no influence on it. Empty when it was not read.
  std::optional<double> counter;
  std::string gpu, chip;  // "NVIDIA H100 80GB HBM3", "GH100"
};

void WriteHeader(std::ostream& out);
void WriteRow(const MeasuredPattern& row, std::ostream& out);

// Throws culprit::Error with `name` and the line of what is not understood.
std::vector<MeasuredPattern> ReadMeasured(std::istream& in, const std::string& name);

}  // namespace culprit::testing
