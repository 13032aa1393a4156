// SPDX-License-Identifier: Apache-2.0
// Samples of kernels that were recorded many times, by as many processes: what a verdict is measured with.
#pragma once
#include <string>
#include <vector>

#include "db/records.h"

namespace culprit::testing {

// What one process recorded of one kernel.
struct Recording {
  std::string device;
  std::string kernel;   // "noise_fma"
  std::string variant;  // "base", or "slower" for the same kernel with 2 % more work
  int process = 0;      // in the order in which they ran
  std::vector<Sample> samples;
};

// A file that script/record-noise wrote. Throws culprit::Error with the line that is wrong.
std::vector<Recording> ReadRecordings(const std::string& path);

}  // namespace culprit::testing
