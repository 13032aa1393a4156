// SPDX-License-Identifier: Apache-2.0
// What launches take with one thing about them changed.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "db/database_impl.h"
#include "db/failure.h"
#include "db/read.h"
#include "db/rows.h"

namespace culprit {
namespace {

const char* ToText(InterventionKind kind) {
  return std::ranges::find(kInterventionNames, kind, &InterventionName::kind)->name;
}

}  // namespace

void Database::StoreInterventions(LaunchId launch, std::span<const InterventionRecord> interventions) {
  Connection& connection = impl_->connection;
  Saying(connection.file(), "store interventions", [&] {
    WriteTransaction transaction(connection);
    {
      Lease row = connection.Prepared("SELECT 1 FROM launch WHERE id = ?");
      if (!row.Bind(launch).Step())
        throw Error(fmt::format("cannot store interventions: there is no launch {}", launch));
    }
    connection.Prepared("DELETE FROM intervention WHERE launch_id = ?").Bind(launch).Run();
    for (const InterventionRecord& i : interventions)
      InsertRow(connection, "intervention", launch, ToText(i.kind), i.setting, i.resident_blocks, i.resident_warps,
                i.time_us, i.least_us, i.most_us, Measurement(i.clock_mhz, RangeOf("intervention", "clock_mhz")),
                i.samples);
    transaction.Commit();
  });
}

std::vector<InterventionRecord> LoadInterventions(Connection& connection, LaunchId launch) {
  static const std::string sql = SelectText("intervention") + " WHERE launch_id = ? ORDER BY kind, setting";
  Lease row = connection.Prepared(sql);
  row.Bind(launch);
  std::vector<InterventionRecord> interventions;
  while (row.Step()) {
    const std::string name = row.Text(At("intervention", "kind"));
    const auto known = std::ranges::find(kInterventionNames, name, &InterventionName::name);
    if (known == std::end(kInterventionNames)) continue;  // no constraint binds who edits a file
    const auto count = [&](Place at) { return row.IsNull(at) ? std::nullopt : std::optional<int>(row.Int(at)); };
    interventions.push_back({known->kind, row.Real(At("intervention", "setting")),
                             count(At("intervention", "resident_blocks")), count(At("intervention", "resident_warps")),
                             row.Real(At("intervention", "time_us")), row.Real(At("intervention", "least_us")),
                             row.Real(At("intervention", "most_us")), row.MaybeReal(At("intervention", "clock_mhz")),
                             row.Int(At("intervention", "samples"))});
  }
  return interventions;
}

}  // namespace culprit
