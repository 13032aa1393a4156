// SPDX-License-Identifier: Apache-2.0
#include "db/migrate.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <set>
#include <string>
#include <vector>

#include "db/checksum.h"
#include "db/columns.h"
#include "db/error.h"
#include "db/sql_files.h"

namespace culprit {
namespace {

// In SQLite's form: from CREATE on, without the final semicolon.
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

// "run.uuid" for every column of every table.
std::set<std::string> ColumnsIn(SQLite::Database& sqlite) {
  SQLite::Statement row(sqlite,
                        "SELECT t.name || '.' || c.name FROM sqlite_schema AS t JOIN pragma_table_info(t.name) AS c "
                        "WHERE t.type = 'table' AND t.sql NOT LIKE 'CREATE VIRTUAL%'");
  std::set<std::string> columns;
  while (row.executeStep()) columns.insert(row.getColumn(0).getString());
  return columns;
}

// Turns off foreign keys, so that rebuilding a table does not cascade to tables that refer to it; foreign_key_check
// finds errors afterwards. Uses no PRAGMA foreign_keys, which has no effect in a transaction.
class WithoutForeignKeys {
 public:
  explicit WithoutForeignKeys(Connection& connection) : connection_(connection) { Enforce(0); }
  ~WithoutForeignKeys() { Enforce(1); }
  WithoutForeignKeys(const WithoutForeignKeys&) = delete;
  WithoutForeignKeys& operator=(const WithoutForeignKeys&) = delete;

 private:
  void Enforce(int on) { sqlite3_db_config(connection_.handle(), SQLITE_DBCONFIG_ENABLE_FKEY, on, nullptr); }

  Connection& connection_;
};

void ApplyNext(Connection& connection, std::int64_t have) {
  if (have < 0) throw Error(NotASchemaOfOurs(connection.file(), have));
  // A migration may rename what a view reads, so views are dropped first and created after all migrations.
  for (const EmbeddedText& view : Views()) DropView(connection, view.name);
  const EmbeddedText& migration = Migrations()[static_cast<std::size_t>(have)];
  connection.Execute(std::string(migration.text));
  SQLite::Statement broken(connection.sqlite(), "PRAGMA foreign_key_check");
  if (broken.executeStep())
    throw Error(
        fmt::format("cannot migrate {} ({}): a row of {} refers to nothing; import an export of it into a new file",
                    connection.file().string(), migration.name, broken.getColumn(0).getString()));
  connection.Execute(fmt::format("PRAGMA user_version = {}", have + 1));
}

void ApplyMissing(Connection& connection, int version) {
  const auto before = static_cast<int>(connection.IntegerOf("PRAGMA user_version"));
  for (int have = before; have < version; ++have) ApplyNext(connection, have);
  // Computed here because SQL cannot.
  if (version == SchemaVersion() && !HasTable(before, "run_checksum")) SealComplete(connection);
}

void ReplaceStaleViews(Connection& connection) {
  for (const EmbeddedText& view : StaleViews(connection)) {
    DropView(connection, view.name);
    connection.Execute(std::string(ViewText(view)));
  }
}

}  // namespace

int SchemaVersion() { return static_cast<int>(Migrations().size()); }

std::string NotASchemaOfOurs(const std::filesystem::path& file, std::int64_t version) {
  return fmt::format(
      "{} says that its schema is {}, which no culprit writes: it is damaged or was changed by hand; "
      "import an export of it into a new file",
      file.string(), version);
}

void CheckTables(Connection& connection, int version) {
  const std::set<std::string> found = ColumnsIn(connection.sqlite());
  for (const StoredColumn& column : kColumns) {
    const std::string name = fmt::format("{}.{}", column.table(), column.name());
    if (column.since <= version && !found.contains(name))
      throw Error(
          fmt::format("{} lacks {}, which every file of schema {} has: it is damaged or was changed by hand; import an "
                      "export of it into a new file",
                      connection.file().string(), name, version));
  }
}

void Migrate(Connection& connection, int version) {
  const WithoutForeignKeys rebuilding(connection);
  // Do not wait for a writer when there is nothing to do.
  if (connection.IntegerOf("PRAGMA user_version") >= version) return;
  WriteTransaction transaction(connection);
  ApplyMissing(connection, version);
  transaction.Commit();
}

void RefreshViews(Connection& connection) {
  if (StaleViews(connection).empty()) return;
  WriteTransaction transaction(connection);
  ReplaceStaleViews(connection);
  transaction.Commit();
}

void BringUpToDate(Connection& connection, const WriteTransaction&) {
  // Another process may have migrated it while this one waited.
  if (const auto version = connection.IntegerOf("PRAGMA user_version"); version > SchemaVersion())
    throw Error(fmt::format("{} was brought to schema {} meanwhile, and this culprit knows {}: update it",
                            connection.file().string(), version, SchemaVersion()));
  {
    const WithoutForeignKeys rebuilding(connection);
    ApplyMissing(connection, SchemaVersion());
  }
  ReplaceStaleViews(connection);
}

void ShadowStaleViews(Connection& connection) {
  constexpr std::string_view kCreate = "CREATE VIEW";
  // All or none: a view of the file would read the file's stale views, not the temporary ones.
  if (StaleViews(connection).empty()) return;
  for (const EmbeddedText& view : Views())
    connection.Execute(fmt::format("CREATE TEMP VIEW{}", ViewText(view).substr(kCreate.size())));
}

}  // namespace culprit
