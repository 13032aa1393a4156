// SPDX-License-Identifier: Apache-2.0
// Creates the tables and roles of a server, and checks that their version is ours.
#include "db/fleet/setup.h"

#include <fmt/format.h>

#include <algorithm>

#include "db/fleet/fleet.h"
#include "db/fleet/migrations.h"

namespace culprit {
namespace {

// Roles belong to the whole server, so they may be there from another database.
constexpr const char* kRoles =
    "DO $$ DECLARE r text; BEGIN FOREACH r IN ARRAY ARRAY['culprit_add', 'culprit_read', 'culprit_maintain'] LOOP "
    "IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = r) THEN EXECUTE format('CREATE ROLE %I NOLOGIN', r); END IF; "
    "END LOOP; END $$";

int Newest() { return static_cast<int>(FleetMigrations().size()); }

// 0: no tables.
int VersionOf(Server& server) {
  const Rows there = server.Query("look for its tables", "SELECT to_regclass('culprit.version') IS NOT NULL");
  if (there.Text(0, 0) != "t") return 0;
  return static_cast<int>(server.Query("read its version", "SELECT number FROM culprit.version").Integer(0, 0));
}

}  // namespace

std::string Fleet::SetUp(const std::string& uri) {
  Server server(uri);
  std::string done;
  server.InTransaction("make its tables", [&] {
    // Two at once would both create them.
    server.Query("make its tables", "SELECT pg_advisory_xact_lock(hashtext('culprit setup'))");
    const int before = VersionOf(server);
    if (before > Newest()) RefuseVersion(before);
    if (before == Newest()) {
      done = fmt::format("The server's tables are already of version {}.", before);
      return;
    }
    server.Execute("create the roles culprit_add, culprit_read and culprit_maintain, which needs CREATEROLE", kRoles);
    if (before == 0)
      server.Execute("create the schema culprit",
                     "CREATE SCHEMA IF NOT EXISTS culprit; CREATE TABLE culprit.version (number integer NOT NULL); "
                     "INSERT INTO culprit.version VALUES (0); GRANT SELECT ON culprit.version TO PUBLIC; "
                     "GRANT USAGE ON SCHEMA culprit TO culprit_add, culprit_read, culprit_maintain");
    for (int have = before; have < Newest(); ++have)
      server.Execute("make its tables", std::string(FleetMigrations()[static_cast<std::size_t>(have)].text));
    server.Query("make its tables", "UPDATE culprit.version SET number = $1", {std::to_string(Newest())});
    done = before == 0 ? fmt::format("Made the tables of version {} and three roles.", Newest())
                       : fmt::format("Brought the tables from version {} to {}.", before, Newest());
  });
  return done;
}

void RequireVersion(Server& server) {
  const int version = VersionOf(server);
  if (version == 0)
    throw Error("this database has no tables of culprit; who maintains it runs 'culprit setup' with its URI.");
  if (version != Newest()) RefuseVersion(version);
}

void RefuseVersion(int version) {
  throw Error(
      version > Newest()
          ? fmt::format("the server's tables have version {}, and this culprit knows {}; install a newer one.", version,
                        Newest())
          : fmt::format("the server's tables have version {}, and this culprit needs {}; who maintains the server "
                        "runs 'culprit setup' with its URI.",
                        version, Newest()));
}

}  // namespace culprit
