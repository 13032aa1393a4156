// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/program_tables.h"

#include <utility>

namespace culprit {
namespace {

std::string Names(const std::vector<Counterfactual>& experiments) {
  std::string names;
  for (const Counterfactual& c : experiments) names += (names.empty() ? "" : ",") + c.stage;
  return names;
}

}  // namespace

ReportTable ForPrograms(ReportTable table) {
  table.shown = 0;
  return table;
}

ReportTable TableForPrograms(std::string key, std::vector<std::string> columns) {
  ReportTable table{std::move(key), ""};
  for (std::string& column : columns) table.columns.push_back({std::move(column), ""});
  return ForPrograms(std::move(table));
}

ReportTable CauseTableForPrograms(std::vector<std::string> of) {
  for (const char* column :
       {"cause", "delta_us", "share_pct", "scatter_low_us", "scatter_high_us", "confirmed_by", "refuted_by", "text"})
    of.push_back(column);
  return TableForPrograms("causes", std::move(of));
}

void AddCauses(const std::vector<Cell>& of, const Explanation& explanation, ReportTable& table) {
  for (const CausePart& c : explanation.causes) {
    std::vector<Cell> row = of;
    row.insert(row.end(), {c.cause, Number{c.delta_us, Unit::kTimeDeltaUs}, Number{100 * c.share, Unit::kPercent},
                           Number{c.scatter ? Measured(c.scatter->low) : Measured(), Unit::kTimeDeltaUs},
                           Number{c.scatter ? Measured(c.scatter->high) : Measured(), Unit::kTimeDeltaUs},
                           Names(c.confirmed_by), Names(c.refuted_by), c.text});
    table.rows.push_back(std::move(row));
  }
}

}  // namespace culprit
