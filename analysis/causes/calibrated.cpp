// SPDX-License-Identifier: Apache-2.0
#include "analysis/causes/calibrated.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <span>

#include "db/embedded_text.h"
#include "db/error.h"

namespace culprit {

std::span<const EmbeddedText> CalibrationFiles();  // generated, see culprit_embed_text in analysis/CMakeLists.txt

namespace {

// Ids, numbers and UUIDs: no field is quoted.
std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == text.npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::size_t ColumnOf(const std::vector<std::string>& header, std::string_view key) {
  const auto found = std::find(header.begin(), header.end(), key);
  if (found == header.end())
    throw Error(fmt::format("the table of calibrated errors has no column '{}': run script/update-docs.", key));
  return static_cast<std::size_t>(found - header.begin());
}

}  // namespace

std::vector<CalibratedError> ParseCalibration(std::string_view csv) {
  const std::vector<std::string> lines = Split(csv, '\n');
  const std::vector<std::string> header = Split(lines.front(), ',');
  const std::size_t cause = ColumnOf(header, "cause"), experiments = ColumnOf(header, "experiments"),
                    median = ColumnOf(header, "median_ratio"), error = ColumnOf(header, "error_factor"),
                    worst = ColumnOf(header, "worst_factor"), alone = ColumnOf(header, "alone"),
                    alone_factor = ColumnOf(header, "alone_factor"), runs = ColumnOf(header, "runs");
  std::vector<CalibratedError> errors;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (lines[i].empty()) continue;
    const std::vector<std::string> row = Split(lines[i], ',');
    if (row.size() != header.size())
      throw Error(
          fmt::format("line {} of the table of calibrated errors has {} fields where the first has {}: run "
                      "script/update-docs.",
                      i + 1, row.size(), header.size()));
    const auto number = [&](std::size_t column) { return std::strtod(row[column].c_str(), nullptr); };
    const auto count = [&](std::size_t column) {
      const double counted = number(column);
      if (!(counted >= 0 && counted <= std::numeric_limits<int>::max()))
        throw Error(fmt::format("line {} of the table of calibrated errors counts '{}' {}: run script/update-docs.",
                                i + 1, row[column], header[column]));
      return static_cast<int>(counted);
    };
    if (count(experiments) < 1 && count(alone) < 1) continue;
    const auto factor = [&](std::size_t column) {
      return row[column].empty() ? std::nullopt : std::optional(number(column));
    };
    errors.push_back({row[cause], count(experiments), number(median), number(worst), factor(error), count(alone),
                      factor(alone_factor), row[runs]});
  }
  return errors;
}

const std::vector<CalibratedError>& CalibratedErrors() {
  static const std::vector<CalibratedError> errors = ParseCalibration(CalibrationFiles().front().text);
  return errors;
}

const CalibratedError* FindCalibratedError(std::string_view cause) {
  for (const CalibratedError& error : CalibratedErrors())
    if (error.cause == cause) return &error;
  return nullptr;
}

}  // namespace culprit
