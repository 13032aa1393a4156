// SPDX-License-Identifier: Apache-2.0
#include "db/versions.h"

#include <sqlite3.h>

#include "db/failure.h"
#include "db/file.h"
#include "db/rows.h"

namespace culprit {

void StoreVersions(const std::filesystem::path& file, const std::string& run_uuid,
                   std::span<const LibraryVersion> versions) {
  Connection connection = OpenForWriting(file);
  sqlite3_busy_timeout(connection.handle(), kBusyTimeoutMs);
  Saying(file, "store versions of libraries", [&] {
    WriteTransaction transaction(connection);
    Lease found = connection.Prepared("SELECT id FROM run WHERE uuid = ? AND finished_utc IS NULL");
    if (!found.Bind(run_uuid).Step()) return;
    const RunId run = found.Integer(0);
    connection.Prepared("DELETE FROM run_version WHERE run_id = ?").Bind(run).Run();
    for (const LibraryVersion& version : versions)
      InsertRow(connection, "run_version", run, version.name, version.value);
    transaction.Commit();
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
