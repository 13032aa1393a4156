// SPDX-License-Identifier: Apache-2.0
// Google Benchmark's JSON: as a whole, and as its list of benchmarks.
#include "tests/fuzz/foreign.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = culprit::fuzz::Text(data, size);
  culprit::fuzz::ImportReport(text);
  culprit::fuzz::ImportReport("{\"context\":{},\"benchmarks\":[" + std::string(text) + "]}");
  return 0;
}
