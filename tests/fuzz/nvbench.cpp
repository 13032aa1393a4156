// SPDX-License-Identifier: Apache-2.0
// NVBench's JSON: as a whole, and as the states of a benchmark.
#include "tests/fuzz/foreign.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = culprit::fuzz::Text(data, size);
  culprit::fuzz::ImportReport(text);
  culprit::fuzz::ImportReport(
      "{\"devices\":[{\"id\":0,\"name\":\"G\",\"sm_version\":900}],\"benchmarks\":[{\"name\":\"b\",\"states\":[" +
      std::string(text) + "]}]}");
  return 0;
}
