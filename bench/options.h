// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "bench/workload.h"

namespace culprit {

struct ParsedOptions {
  BenchOptions options;
  std::vector<std::string> google_benchmark;  // arguments for Google Benchmark, program name first
  bool help = false;
  bool list_only = false;  // --benchmark_list_tests: measures and records nothing
};

// Throws culprit::Error for an argument that neither we nor Google Benchmark accept.
ParsedOptions ParseOptions(int argc, char** argv);

std::string OptionsHelp(const std::string& program);

// True if `id` matches one of the globs, or if there are none.
bool Selected(const std::vector<std::string>& globs, const std::string& id);

}  // namespace culprit
