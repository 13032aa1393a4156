// SPDX-License-Identifier: Apache-2.0
// Stores and reads interventions.
#include "db/database_impl.h"
#include "db/rows.h"

namespace culprit {

void Database::StoreInterventions(LaunchId launch, std::span<const InterventionRecord> interventions) {
  impl_->WriteOf(launch, "store interventions", [&](Connection& connection) {
    connection.Prepared("DELETE FROM intervention WHERE launch_id = ?").Bind(launch).Run();
    for (const InterventionRecord& i : interventions) InsertRow(connection, "intervention", launch, i.kind, Fields(i));
  });
}

std::vector<InterventionRecord> LoadInterventions(Connection& connection, LaunchId launch) {
  static const std::string sql = SelectText("intervention") + " WHERE launch_id = ? ORDER BY kind, setting";
  Lease row = connection.Prepared(sql);
  row.Bind(launch);
  std::vector<InterventionRecord> interventions;
  while (row.Step()) {
    const auto kind = KindNamed<InterventionKind>(row.Text(At("intervention", "kind")));
    if (!kind) continue;  // an edited file may contain an unknown kind
    interventions.emplace_back().kind = *kind;
    row.Read(interventions.back());
  }
  return interventions;
}

}  // namespace culprit
