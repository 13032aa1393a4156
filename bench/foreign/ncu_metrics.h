// SPDX-License-Identifier: Apache-2.0
// The numbers of a row of ncu's table, with our ids and units.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/foreign/ncu_csv.h"
#include "bench/foreign/ncu_number.h"
#include "db/records.h"

namespace culprit {

class NcuMetrics {
 public:
  // Keeps references. `name`: the report's name in messages. Throws culprit::Error if two columns have the same name
  // and different content.
  NcuMetrics(const NcuTable& table, std::string_view name);

  // Finds the columns of known metrics, by their names on `chip`.
  void Choose(std::string_view chip);

  std::optional<std::size_t> IndexOf(std::string_view column) const;
  // The number in this column, converted to our `unit`. None if there is no such column, if it has no number, or if its
  // unit cannot be converted. Throws culprit::Error for a field that is no number, and for one below 0.
  std::optional<double> NumberAt(const CsvRow& row, std::string_view column, std::string_view unit) const;
  // The clock of a launch that took `us`. None if its cycles were not counted.
  std::optional<double> ClockMhz(const CsvRow& row, double us) const;
  // Readings in the catalogue's order, then the facts of the launch. A metric without a column has the status "not
  // asked".
  std::vector<Reading> ReadingsOf(const CsvRow& row);
  // Warnings about what was left out, of the rows that were read, and about values that were computed.
  std::vector<Warning> Warnings() const;

 private:
  struct Chosen {
    MetricDefinition metric;
    std::size_t column;
    double scale;
    // If the column is a ratio: the id of the metric to multiply it with. Empty: the column is the metric itself.
    std::string times;
  };
  std::optional<double> ValueAt(const CsvRow& row, std::size_t column, double scale) const;
  void Add(MetricDefinition metric, std::string_view column, std::string_view times);
  void RefuseAnother(std::size_t known, std::size_t column) const;
  // Of metrics that have no value in another column.
  void AddCountersOfOpcodes(const CsvRow& row, std::vector<Reading>& readings);

  const NcuTable& table_;
  std::string_view name_;
  Thousands thousands_;
  std::map<std::string_view, std::size_t> columns_;
  std::vector<Chosen> chosen_;
  std::vector<std::string> unknown_units_;
  bool is_hopper_ = false;
  std::size_t unread_lists_ = 0;  // of counts by opcode
};

}  // namespace culprit
