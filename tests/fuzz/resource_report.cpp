// SPDX-License-Identifier: Apache-2.0
// What `ptxas -v` prints.
#include "profiler/code/resource_report.h"

#include "profiler/static_collector.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace culprit;
  fuzz::Accepts([&] { StaticTableSource(ReadResourceReport(fuzz::Text(data, size))); });
  return 0;
}
