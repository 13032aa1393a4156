// SPDX-License-Identifier: Apache-2.0
#include "db/metric_ids.h"

namespace culprit {

std::int64_t MetricIds::IdOf(Connection& connection, const MetricDefinition& metric) {
  if (const auto known = ids_.find(metric); known != ids_.end()) return known->second;
  connection
      .Prepared(
          "INSERT INTO metric (key, source, cupti_name, unit, meaning) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING")
      .Bind(metric.id, metric.source, metric.cupti_name, metric.unit, metric.meaning)
      .Run();
  Lease row = connection.Prepared(
      "SELECT id FROM metric WHERE key = ? AND source = ? AND cupti_name = ? AND unit = ? AND meaning = ?");
  row.Bind(metric.id, metric.source, metric.cupti_name, metric.unit, metric.meaning).Step();
  return ids_.emplace(metric, row.Integer(0)).first->second;
}

}  // namespace culprit
