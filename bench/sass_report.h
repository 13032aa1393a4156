// SPDX-License-Identifier: Apache-2.0
// What a counting process tells the one that started it: one line of JSON on its standard output.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "db/records.h"

namespace culprit {

struct SassReport {
  std::vector<Reading> readings;                // in the catalogue's order
  std::vector<InstructionRecord> instructions;  // those that are WorthStoring
  std::string function;                         // that was counted
  std::optional<Warning> trouble;
  double seconds = 0;
};

// Without the line's end. Instructions that are not WorthStoring are left out: the database would drop them.
std::string ToJsonLine(const SassReport& report);

// Reads the last line of `output`: a workload may print before it. `metrics` are those that were asked for; one of
// which the report says nothing is kFailed. Nullopt when the last line is no report: the process died on the way, say.
// Instructions that cannot be right (one twice, a metric that nobody asked for) are dropped together, with a trouble.
std::optional<SassReport> ParseSassReport(std::string_view output, const std::vector<MetricDefinition>& metrics);

}  // namespace culprit
