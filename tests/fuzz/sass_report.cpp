// SPDX-License-Identifier: Apache-2.0
// The line that a counting process sends: it may have died in the middle of it.
#include "bench/sass_report.h"

#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace culprit;
  const std::vector<MetricDefinition> metrics{{"sass_inst", "sass", "a", "inst", ""},
                                              {"wavefronts", "sass", "b", "wavefront", ""}};
  const auto report = ParseSassReport(fuzz::Text(data, size), metrics);
  if (!report) return 0;
  fuzz::Require(report->readings.size() == metrics.size(), "a reading for each metric");
  fuzz::Require(ParseSassReport(ToJsonLine(*report), metrics).has_value(), "a report that was read is read again");
  return 0;
}
