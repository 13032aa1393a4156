// SPDX-License-Identifier: Apache-2.0
#include "db/versions.h"

#include "db/database_impl.h"
#include "db/rows.h"

namespace culprit {

void Database::StoreVersions(RunId run, std::span<const LibraryVersion> versions) {
  impl_->Write("store versions of libraries", [&](Connection& connection) {
    connection.Prepared("DELETE FROM run_version WHERE run_id = ?").Bind(run).Run();
    for (const LibraryVersion& version : versions)
      InsertRow(connection, "run_version", run, version.name, version.value);
  });
}

std::vector<LibraryVersion> VersionsOf(const Database& database, RunId run) {
  std::vector<LibraryVersion> versions;
  for (const std::vector<Value>& row :
       database.Query("SELECT name, value FROM run_version WHERE run_id = :run ORDER BY name", {{":run", run}}).rows)
    versions.push_back({std::get<std::string>(row[0]), std::get<std::string>(row[1])});
  return versions;
}

}  // namespace culprit
