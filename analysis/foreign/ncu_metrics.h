// SPDX-License-Identifier: Apache-2.0
// The numbers of a row of ncu's, under our ids and in our units.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/foreign/ncu_csv.h"
#include "analysis/foreign/ncu_number.h"
#include "db/records.h"

namespace culprit {

class NcuMetrics {
 public:
  // Keeps references. `name` is what messages call the report. Throws culprit::Error where two columns have one name
  // and not the same in them.
  NcuMetrics(const NcuTable& table, std::string_view name);

  // Which columns are metrics that we know, as `chip` spells them.
  void Choose(std::string_view chip);

  std::optional<std::size_t> IndexOf(std::string_view column) const;
  // In `unit` of ours. None where there is no such column, no number in it, or a unit that does not measure the same.
  // Throws culprit::Error for a field that is no number at all, and for one below 0.
  std::optional<double> NumberAt(const CsvRow& row, std::string_view column, std::string_view unit) const;
  // Of a launch that took `us`; none where its cycles were not counted.
  std::optional<double> ClockMhz(const CsvRow& row, double us) const;
  // In the catalogue's order, then those of the launch. What the report has no column for was not asked for.
  std::vector<Reading> ReadingsOf(const CsvRow& row) const;
  // About columns that were left out, and about what was computed.
  std::vector<Warning> Warnings() const;

 private:
  struct Chosen {
    MetricDefinition metric;
    std::size_t column;
    double scale;
    // Our id that a ratio is multiplied with; empty: the column is the metric itself.
    std::string times;
  };
  std::optional<double> ValueAt(const CsvRow& row, std::size_t column, double scale) const;
  void Add(MetricDefinition metric, std::string_view column, std::string_view times);
  void RefuseAnother(std::size_t known, std::size_t column) const;

  const NcuTable& table_;
  std::string_view name_;
  Thousands thousands_;
  std::map<std::string_view, std::size_t> columns_;
  std::vector<Chosen> chosen_;
  std::vector<std::string> unknown_units_;
};

}  // namespace culprit
