// SPDX-License-Identifier: Apache-2.0
#include "db/migrate.h"

#include <fmt/format.h>

#include <vector>

#include "db/error.h"
#include "db/sql_files.h"

namespace culprit {
namespace {

// As SQLite keeps it: from CREATE on, without the final semicolon.
std::string_view ViewText(const EmbeddedText& view) {
  std::string_view text = view.text.substr(view.text.find("CREATE VIEW"));
  return text.substr(0, text.rfind(';'));
}

std::vector<EmbeddedText> StaleViews(Connection& connection) {
  std::vector<EmbeddedText> stale;
  for (const EmbeddedText& view : Views()) {
    Lease row = connection.Prepared("SELECT sql FROM sqlite_schema WHERE type = 'view' AND name = ?");
    row.Bind(view.name);
    if (!row.Step() || row.Text(0) != ViewText(view)) stale.push_back(view);
  }
  return stale;
}

void DropView(Connection& connection, std::string_view name) {
  connection.Execute(fmt::format("DROP VIEW IF EXISTS \"{}\"", name));
}

// False when another process has done it meanwhile.
bool ApplyNext(Connection& connection, int version) {
  WriteTransaction transaction(connection);
  const auto have = connection.IntegerOf("PRAGMA user_version");
  if (have >= version) return false;
  // A migration may rename what a view reads; views come back when all migrations are in.
  for (const EmbeddedText& view : Views()) DropView(connection, view.name);
  const EmbeddedText& migration = Migrations()[have];
  connection.Execute(std::string(migration.text));
  SQLite::Statement broken(connection.sqlite(), "PRAGMA foreign_key_check");
  if (broken.executeStep())
    throw Error(
        fmt::format("cannot migrate {} ({}): a row of {} refers to nothing; import an export of it into a new file",
                    connection.file().string(), migration.name, broken.getColumn(0).getString()));
  connection.Execute(fmt::format("PRAGMA user_version = {}", have + 1));
  transaction.Commit();
  return true;
}

}  // namespace

int SchemaVersion() { return static_cast<int>(Migrations().size()); }

void Migrate(Connection& connection, int version) {
  // Rebuilding a table must not cascade into the tables that refer to it; foreign_key_check looks instead.
  connection.Execute("PRAGMA foreign_keys = OFF");
  while (connection.IntegerOf("PRAGMA user_version") < version && ApplyNext(connection, version)) {
  }
  connection.Execute("PRAGMA foreign_keys = ON");
}

void RefreshViews(Connection& connection) {
  if (StaleViews(connection).empty()) return;
  WriteTransaction transaction(connection);
  for (const EmbeddedText& view : StaleViews(connection)) {
    DropView(connection, view.name);
    connection.Execute(std::string(ViewText(view)));
  }
  transaction.Commit();
}

void ShadowStaleViews(Connection& connection) {
  constexpr std::string_view kCreate = "CREATE VIEW";
  for (const EmbeddedText& view : StaleViews(connection))
    connection.Execute(fmt::format("CREATE TEMP VIEW{}", ViewText(view).substr(kCreate.size())));
}

}  // namespace culprit
