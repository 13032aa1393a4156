// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "bench/workload.h"

namespace culprit {

struct ParsedOptions {
  BenchOptions options;
  std::vector<std::string> google_benchmark;  // arguments left for Google Benchmark, program name first
  bool help = false;
  bool list_only = false;  // --benchmark_list_tests: nothing is measured or recorded
};

// Throws culprit::Error for an argument that neither we nor Google Benchmark know.
ParsedOptions ParseOptions(int argc, char** argv);

std::string OptionsHelp(const std::string& program);

// True when `id` matches one of the globs, or there are none.
bool Selected(const std::vector<std::string>& globs, const std::string& id);

}  // namespace culprit
