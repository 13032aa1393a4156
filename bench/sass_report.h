// SPDX-License-Identifier: Apache-2.0
// What a counting process tells the one that started it: one line of JSON on a pipe of its own.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "db/records.h"

namespace culprit {

struct SassReport {
  std::vector<Reading> readings;  // in the catalogue's order
  std::vector<InstructionRecord> instructions;
  std::string function;  // that was counted
  std::optional<Warning> trouble;
  double seconds = 0;
};

// Without the line's end.
std::string ToJsonLine(const SassReport& report);

// `metrics` are those that were asked for; one of which the report says nothing is kFailed. Nullopt when `line`, with
// or without its end, is no report: the process died on the way, say. Instructions that cannot be right (one twice, a
// metric that nobody asked for) are dropped together, with a trouble.
std::optional<SassReport> ParseSassReport(std::string_view line, const std::vector<MetricDefinition>& metrics);

}  // namespace culprit
