// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/program_tables.h"

#include <utility>

#include "analysis/render/joined.h"

namespace culprit {

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
  const auto names = [](const std::vector<Counterfactual>& all) { return Joined(all, &Counterfactual::stage, ","); };
  for (const CausePart& c : explanation.causes) {
    const Measured low = c.scatter ? Measured(c.scatter->low) : Measured();
    const Measured high = c.scatter ? Measured(c.scatter->high) : Measured();
    auto& row = table.rows.emplace_back(of);
    row.insert(row.end(), {c.cause,
                           {c.delta_us, Unit::kTimeDeltaUs},
                           {100 * c.share, Unit::kPercent},
                           {low, Unit::kTimeDeltaUs},
                           {high, Unit::kTimeDeltaUs},
                           names(c.confirmed_by),
                           names(c.refuted_by),
                           c.text});
  }
}

}  // namespace culprit
