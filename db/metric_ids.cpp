// SPDX-License-Identifier: Apache-2.0
#include "db/metric_ids.h"

#include "db/rows.h"

namespace culprit {

std::int64_t MetricIds::IdOf(Connection& connection, const MetricDefinition& metric) {
  if (const auto known = ids_.find(metric); known != ids_.end()) return known->second;
  const FoundRow row =
      RowWith(connection, "metric", metric.id, metric.source, metric.cupti_name, metric.unit, metric.meaning);
  return ids_.emplace(metric, row.id).first->second;
}

}  // namespace culprit
