// SPDX-License-Identifier: Apache-2.0
// Samples of kernels that many processes recorded, to measure how often a verdict is wrong.
#pragma once
#include <string>
#include <vector>

#include "db/records.h"

namespace culprit::testing {

// The samples of one kernel in one process.
struct Recording {
  std::string device;
  std::string kernel;   // "noise_fma"
  std::string variant;  // "base", or "slower" for the same kernel with 2 % more work
  int process = 0;      // in the order in which they ran
  std::vector<Sample> samples;
};

// Reads a file of script/record-noise. Throws culprit::Error with the line that is wrong.
std::vector<Recording> ReadRecordings(const std::string& path);

}  // namespace culprit::testing
