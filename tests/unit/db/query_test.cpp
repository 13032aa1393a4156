// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "db/database.h"
#include "tests/support/scratch.h"
#include "tests/support/small_run.h"

namespace culprit {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// On a connection that could write, so that nothing but the query's own rule can stop it.
class Query : public testing::Test {
 protected:
  Query() { RecordRun(db, ARun("aaaa"), {"v1_7"}, {1024}); }
  std::string Complaint(std::string_view sql, const Parameters& parameters = {}) {
    return ComplaintOf([&] { db.Query(sql, parameters); });
  }

  Scratch scratch;
  Database db = Database::OpenForRecording(scratch / "m.db");
};

TEST_F(Query, GivesColumnsAndTypedRows) {
  const Table table = db.Query("SELECT 1 AS one, 2.5 AS half, 'x' AS text, NULL AS none, x'00ff' AS bytes");
  EXPECT_EQ(table.columns, (std::vector<std::string>{"one", "half", "text", "none", "bytes"}));
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(table.rows[0], (std::vector<Value>{std::int64_t{1}, 2.5, std::string("x"), {}, std::string("x'00ff'")}));
}

TEST_F(Query, RefusesWhateverWritesAndChangesNothing) {
  const std::string before = db.Export();
  for (const char* sql :
       {"DELETE FROM run", "INSERT INTO device (name) VALUES ('x')", "UPDATE run SET label = 'x'", "DROP TABLE sample",
        "CREATE TABLE t(x)", "CREATE TEMP TABLE t(x)", "CREATE TEMP VIEW t AS SELECT 1", "CREATE INDEX i ON run(label)",
        "ALTER TABLE run RENAME TO walk", "REINDEX", "ANALYZE", "VACUUM", "WITH t AS (SELECT 1) DELETE FROM run",
        "EXPLAIN DELETE FROM run", "INSERT INTO run DEFAULT VALUES RETURNING id",
        "CREATE VIRTUAL TABLE t USING fts5(x)", "CREATE TRIGGER t AFTER INSERT ON run BEGIN DELETE FROM run; END",
        "DROP VIEW edge"})
    EXPECT_THAT(Complaint(sql), HasSubstr("a query only reads, a statement that writes is refused")) << sql;
  EXPECT_THAT(Complaint("UPDATE sqlite_schema SET sql = ''"), HasSubstr("may not be modified"));
  EXPECT_EQ(before, db.Export());
}

TEST_F(Query, RefusesOtherFilesTransactionsAndExtensions) {
  const std::string other = (scratch / "other.db").string();
  EXPECT_THAT(Complaint("ATTACH '" + other + "' AS other"), HasSubstr("attaching another file is refused"));
  EXPECT_THAT(Complaint("VACUUM INTO '" + other + "'"), HasSubstr("a query only reads"));
  EXPECT_THAT(Complaint("BEGIN"), HasSubstr("a transaction is refused"));
  EXPECT_THAT(Complaint("SAVEPOINT s"), HasSubstr("a transaction is refused"));
  EXPECT_THAT(Complaint("SELECT load_extension('x')"), HasSubstr("load_extension"));
  EXPECT_FALSE(std::filesystem::exists(other));
}

TEST_F(Query, RefusesPragmasThatSet) {
  for (const char* sql : {"PRAGMA user_version = 7", "PRAGMA journal_mode = DELETE", "PRAGMA foreign_keys = OFF",
                          "PRAGMA writable_schema = 1", "PRAGMA optimize", "PRAGMA wal_checkpoint",
                          "PRAGMA schema_version = 5", "PRAGMA temp_store_directory = 'x'"})
    EXPECT_THAT(Complaint(sql), HasSubstr("a query only reads, PRAGMA")) << sql;
}

TEST_F(Query, TakesPragmasThatLook) {
  EXPECT_EQ(db.Query("PRAGMA table_info(launch)").rows.size(), 20u);
  EXPECT_EQ(std::get<std::string>(db.Query("PRAGMA integrity_check").rows[0][0]), "ok");
  EXPECT_EQ(std::get<std::int64_t>(db.Query("PRAGMA application_id").rows[0][0]), 0x43554C50);
  EXPECT_FALSE(db.Query("SELECT name FROM pragma_table_info('run')").rows.empty());
}

TEST_F(Query, TakesViewsExpressionsAndPlans) {
  EXPECT_EQ(db.Query("SELECT * FROM kernel_summary").rows.size(), 1u);
  EXPECT_EQ(db.Query("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT * FROM n")
                .rows.size(),
            5u);
  EXPECT_FALSE(db.Query("EXPLAIN QUERY PLAN SELECT * FROM edge").rows.empty());
  EXPECT_EQ(db.Query("SELECT * FROM json_each('[1,2]')").rows.size(), 2u);
}

TEST_F(Query, IsOneStatement) {
  EXPECT_THAT(Complaint("SELECT 1; SELECT 2"), HasSubstr("a query is one statement"));
  EXPECT_THAT(Complaint("SELECT 1; DELETE FROM run"), HasSubstr("a query only reads"));
  EXPECT_EQ(db.Query("SELECT 1; -- done\n ;; /* really */ ").rows.size(), 1u);
}

TEST_F(Query, SaysWhenItIsEmpty) {
  for (const char* sql : {"", "  ", "-- nothing", ";"})
    EXPECT_THAT(Complaint(sql), HasSubstr("the query is empty")) << sql;
}

TEST_F(Query, SaysWhereASyntaxErrorIs) {
  EXPECT_THAT(Complaint("SELECT *\nFROM run\nWHERE id == == 2"),
              AllOf(HasSubstr("error at line 3, column 13"), HasSubstr("near \"==\"")));
  EXPECT_THAT(Complaint("SELECT nonsense FROM run"), HasSubstr("at line 1, column 8: no such column: nonsense"));
  EXPECT_THAT(Complaint("SELECT 1 FROM nowhere"), HasSubstr("no such table: nowhere"));
  EXPECT_THAT(Complaint("SELECT 'open"), HasSubstr("the query has an error"));
}

TEST_F(Query, SaysWhenItFailsHalfway) {
  EXPECT_THAT(Complaint("SELECT abs(-9223372036854775807 - 1)"), HasSubstr("the query failed: integer overflow"));
}

TEST_F(Query, BindsParametersOfEveryType) {
  const Table table =
      db.Query("SELECT :a, :b, :c, :d",
               {{":a", std::int64_t{3}}, {":b", 2.5}, {"c", std::string("it's")}, {":d", std::monostate{}}});
  EXPECT_EQ(table.rows[0], (std::vector<Value>{std::int64_t{3}, 2.5, std::string("it's"), {}}));
}

TEST_F(Query, NeedsAValueForEveryParameterOfAStatementThatDoesNotShip) {
  EXPECT_THAT(Complaint("SELECT :a, :b", {{"a", std::int64_t{1}}}),
              HasSubstr("the query's :b has no value: give it with --param b=VALUE"));
  for (const char* sql : {"SELECT ?", "SELECT ?2", "SELECT $a", "SELECT @a"})
    EXPECT_THAT(Complaint(sql), HasSubstr("write it as :name")) << sql;
  EXPECT_NO_THROW(db.Query(*FindNamedQuery("stalls"), {{"stage", std::string("v1_7")}}));
}

TEST_F(Query, RefusesAParameterThatItDoesNotTake) {
  EXPECT_THAT(Complaint("SELECT :run", {{":runn", std::int64_t{1}}}),
              HasSubstr("has no parameter :runn: it takes :run"));
  EXPECT_THAT(Complaint("SELECT 1", {{":run", std::int64_t{1}}}), HasSubstr("it takes none"));
}

TEST_F(Query, LeavesTheConnectionAbleToRecord) {
  Complaint("DELETE FROM run");
  Complaint("SELECT nonsense");
  RecordRun(db, ARun("bbbb"), {"v1_6"}, {1024});
  EXPECT_EQ(db.Runs().size(), 2u);
}

TEST_F(Query, EveryNamedOneWorksWithoutArgumentsAndSaysWhatARowIs) {
  EXPECT_GE(NamedQueries().size(), 8u);
  for (const NamedQuery& query : NamedQueries()) {
    EXPECT_NO_THROW(db.Query(query)) << query.name;
    EXPECT_FALSE(query.summary.empty()) << query.name;
  }
  ASSERT_NE(FindNamedQuery("ladder"), nullptr);
  EXPECT_EQ(FindNamedQuery("no such query"), nullptr);
}

TEST_F(Query, EveryNamedOneWorksOnAnEmptyDatabase) {
  const Database empty = Database::OpenForRecording(scratch / "empty.db");
  for (const NamedQuery& query : NamedQueries()) EXPECT_TRUE(empty.Query(query).rows.empty()) << query.name;
}

}  // namespace
}  // namespace culprit
