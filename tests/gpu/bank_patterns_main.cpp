// SPDX-License-Identifier: Apache-2.0
// Measures the patterns of tests/bank_patterns, or tests what it measures (tests/gpu/bank_patterns_test.cpp):
//
//   bank_patterns_gpu --measure >measured_<gpu>.csv             exact counts, some 15 s
//   bank_patterns_gpu --measure --counter >measured_<gpu>.csv   the hardware's own counter beside them, some minutes
//   bank_patterns_gpu                                           the tests
//
// CUPTI counts one kernel per process, so that every batch of patterns gets a process of this program of its own.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <string_view>

#include "db/error.h"
#include "tests/gpu/bank_workers.h"

using namespace culprit;
using namespace culprit::testing;

namespace {

int Measure(bool counter) {
  const std::vector<MeasuredPattern> rows = MeasureInProcesses(counter);
  WriteHeader(std::cout);
  for (const MeasuredPattern& row : rows) WriteRow(row, std::cout);
  std::cerr << "measured " << rows.size() << " patterns\n";
  return rows.empty() ? 2 : 0;
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string_view what = argc > 1 ? argv[1] : "";
  if (what == "--measure") return Measure(argc > 2 && std::string_view(argv[2]) == "--counter");
  if (what == kBatchWorker && argc == 3) {
    WorkOnBatch(std::strtoul(argv[2], nullptr, 10), std::cout);
    return 0;
  }
  if (what == kCounterWorker) {
    WorkOnCounter(std::cout);
    return 0;
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
} catch (const std::exception& e) {
  std::cerr << "bank_patterns_gpu: " << e.what() << '\n';
  return 2;
}
