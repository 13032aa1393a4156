// SPDX-License-Identifier: Apache-2.0
// Files of every older schema, built from text: the rows come through each migration, and a reader leaves the file
// alone.
#include "db/migrate.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>

#include "db/database.h"
#include "db/sql_files.h"
#include "tests/support/raw_sqlite.h"
#include "tests/support/scratch.h"
#include "tests/support/small_run.h"

namespace culprit {
namespace {

std::filesystem::path RowsOfSchema(int version) {
  return std::filesystem::path(CULPRIT_SOURCE_DIR) / fmt::format("tests/unit/db/rows_at_schema_{}.sql", version);
}

// A file as the culprit of that schema left it, with every row that rows_at_schema_1..version.sql insert.
void MakeAtSchema(const std::filesystem::path& file, int version) {
  RawSqlite raw(file);
  for (int v = 0; v < version; ++v) {
    raw.Execute("PRAGMA foreign_keys = OFF");  // else a table that is made anew takes along what refers to it
    raw.Execute(std::string(Migrations()[v].text));
    raw.Execute("PRAGMA foreign_keys = ON");
    raw.Execute(Bytes(RowsOfSchema(v + 1)));
  }
  raw.Execute(fmt::format("PRAGMA user_version = {}", version));
}

class EverySchema : public testing::TestWithParam<int> {
 protected:
  EverySchema() { MakeAtSchema(file, GetParam()); }
  Scratch scratch;
  std::filesystem::path file = scratch / "m.db";
};
INSTANTIATE_TEST_SUITE_P(Migrate, EverySchema, testing::Range(1, SchemaVersion() + 1),
                         [](const auto& p) { return fmt::format("{}", p.param); });

struct TableShape {
  std::string name;
  std::string columns;  // quoted, joined by commas
};

std::vector<TableShape> Tables(RawSqlite& raw) {
  std::vector<TableShape> tables;
  std::istringstream names(raw.Dump("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"));
  for (std::string name; std::getline(names, name);)
    tables.push_back(
        {name,
         raw.Text(fmt::format("SELECT group_concat('\"' || name || '\"', ', ') FROM pragma_table_info('{}')", name))});
  return tables;
}

std::string Rows(RawSqlite& raw, const TableShape& table) {
  return raw.Dump(fmt::format("SELECT {} FROM \"{}\"", table.columns, table.name));
}

TEST_P(EverySchema, KeepsItsRowsWhenItIsBroughtUpToDate) {
  // A migration may append columns, not change what is there.
  std::vector<std::pair<TableShape, std::string>> before;
  {
    RawSqlite raw(file);
    for (const TableShape& table : Tables(raw)) before.emplace_back(table, Rows(raw, table));
  }
  ASSERT_FALSE(before.empty());
  { Database::OpenForRecording(file); }
  RawSqlite raw(file);
  EXPECT_EQ(raw.Text("PRAGMA user_version"), std::to_string(SchemaVersion()));
  EXPECT_EQ(raw.Text("PRAGMA integrity_check"), "ok");
  EXPECT_EQ(raw.Dump("PRAGMA foreign_key_check"), "");
  for (const auto& [table, rows] : before) {
    EXPECT_NE(rows, "") << table.name << " has no row in rows_at_schema_*.sql";
    EXPECT_EQ(Rows(raw, table), rows) << table.name;
  }
}

TEST_P(EverySchema, IsReadWithoutBeingChanged) {
  const Traces before = TracesIn(scratch.path());
  {
    const Database db = Database::OpenForReading(file);
    EXPECT_EQ(db.Runs().size(), 2u);
    for (const NamedQuery& query : NamedQueries()) db.Query(query);
    EXPECT_EQ(std::get<std::int64_t>(db.Query("PRAGMA user_version").rows[0][0]), SchemaVersion());
  }
  EXPECT_EQ(before, TracesIn(scratch.path()));
}

TEST_P(EverySchema, CanBeRecordedInto) {
  Database db = Database::OpenForRecording(file);
  RecordRun(db, ARun("eeee", "2027-01-01T00:00:00Z"), {"v1_7"}, {1024});
  EXPECT_EQ(db.Runs().size(), 3u);
}

// The rows as an export of that time: the importer migrates them in its scratch database.
TEST_P(EverySchema, IsImportedFromItsText) {
  std::string text = fmt::format("-- culprit export, schema {}\nBEGIN;\n", GetParam());
  for (int v = 1; v <= GetParam(); ++v) text += Bytes(RowsOfSchema(v));
  text += "COMMIT;\n";
  Database db = Database::OpenForRecording(scratch / "new.db");
  EXPECT_EQ(db.Import(text, "old.sql").runs_added, 2);
  EXPECT_EQ(db.Export(), Database::OpenForReading(file).Export());
}

std::vector<Database::ImportResult> ImportFinished(const std::filesystem::path& into, const std::string& uuid) {
  const Scratch elsewhere;
  std::string text;
  {
    Database db = Database::OpenForRecording(elsewhere / "finished.db");
    RecordRun(db, ARun(uuid), {"v1_7"}, {1024});
    text = db.Export();
  }
  const std::vector<Database::ImportSource> sources{{"finished.sql", [&] { return text; }}};
  return Database::ImportInto(into, sources);
}

// The unfinished copy in it gives way with all that refers to it, which takes foreign keys; migrations go without them.
TEST_P(EverySchema, IsImportedInto) {
  EXPECT_EQ(ImportFinished(file, "bbbb").at(0).runs_added, 1);
  EXPECT_EQ(Database::OpenForReading(file).Runs().size(), 2u);
  RawSqlite raw(file);
  EXPECT_EQ(raw.Text("PRAGMA user_version"), std::to_string(SchemaVersion()));
  EXPECT_EQ(raw.Text("SELECT count(*) FROM run WHERE finished_utc IS NULL"), "0");
  EXPECT_EQ(raw.Text("PRAGMA integrity_check"), "ok");
  EXPECT_EQ(raw.Dump("PRAGMA foreign_key_check"), "");
}

TEST_P(EverySchema, StaysAsItWasWhenAnImportIntoItFails) {
  // quick_check sees no harm in a trigger; it stands in for whatever is found out half way.
  RawSqlite(file).Execute("CREATE TRIGGER half_way BEFORE INSERT ON run BEGIN SELECT RAISE(ABORT, 'half way'); END");
  const Traces before = TracesIn(scratch.path());
  EXPECT_NE(ComplaintOf([&] { ImportFinished(file, "cccc"); }), "");
  EXPECT_TRUE(before == TracesIn(scratch.path()));
}

TEST(Migrate, EveryMigrationIsNumberedInOrder) {
  int number = 0;
  for (const EmbeddedText& migration : Migrations())
    EXPECT_EQ(migration.name.substr(0, 5), fmt::format("{:04}_", ++number));
}

TEST(Migrate, EveryTableHasRowsInTheTestData) {
  const Scratch scratch;
  MakeAtSchema(scratch / "m.db", SchemaVersion());
  RawSqlite raw(scratch / "m.db");
  for (const TableShape& table : Tables(raw)) EXPECT_NE(Rows(raw, table), "") << table.name;
}

}  // namespace
}  // namespace culprit
