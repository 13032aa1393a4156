// SPDX-License-Identifier: Apache-2.0
#include "db/columns.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "db/migrate.h"
#include "db/sql_files.h"
#include "tests/support/raw_sqlite.h"
#include "tests/support/scratch.h"

namespace culprit {
namespace {

// A migration that brings a table or a column brings its line in the list, and none without.
TEST(Columns, AreThoseThatEachSchemaHas) {
  const Scratch scratch;
  RawSqlite raw(scratch / "m.db");
  for (int version = 1; version <= SchemaVersion(); ++version) {
    raw.Execute(std::string(Migrations()[version - 1].text));
    std::set<std::string> listed;
    for (const StoredColumn& column : kColumns)
      if (HasColumn(version, column.table(), column.name()))
        listed.insert(fmt::format("{}.{}", column.table(), column.name()));
    std::string text;
    for (const std::string& column : listed) text += column + '\n';
    EXPECT_EQ(
        raw.Dump("SELECT t.name || '.' || c.name AS name FROM sqlite_schema AS t JOIN pragma_table_info(t.name) AS c "
                 "WHERE t.type = 'table' ORDER BY name"),
        text)
        << "schema " << version;
  }
}

TEST(Columns, HaveAPlaceInTheStatementsOfTheirTable) {
  EXPECT_EQ(SelectText("stage_factor"), R"(SELECT "stage_id", "factor", "value" FROM stage_factor)");
  EXPECT_EQ(At("stage_factor", "factor").index, 1);
  EXPECT_EQ(SelectText("toolchain"),
            R"(SELECT "driver", "cuda_driver_api", "cuda_runtime", "cupti", "nvcc", "host_compiler" FROM toolchain)");
  EXPECT_EQ(At("toolchain", "cupti").index, 3);
  EXPECT_EQ(InsertText("function_source"), R"(INSERT INTO function_source ("function", "source_file") VALUES (?, ?))");
  EXPECT_EQ(FindText("function_source"),
            R"(SELECT id FROM function_source WHERE ("function", "source_file") = (?, ?))");
}

TEST(Columns, AreKnownFromTheSchemaOnThatBroughtThem) {
  EXPECT_FALSE(HasColumn(6, "launch", "ordinal"));
  EXPECT_TRUE(HasColumn(7, "launch", "ordinal"));
  EXPECT_TRUE(HasTable(3, "launch"));
  EXPECT_FALSE(HasTable(2, "launch"));
  EXPECT_FALSE(HasTable(7, "unicorn"));
}

}  // namespace
}  // namespace culprit
