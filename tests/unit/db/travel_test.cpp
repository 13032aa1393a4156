// SPDX-License-Identifier: Apache-2.0
#include "db/travel.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/support/scratch.h"
#include "tests/support/small_run.h"

namespace culprit {
namespace {

// A migration that adds a column or a table must say how it travels.
TEST(Travel, TakesEveryColumnOfEveryTableAlong) {
  const Scratch scratch;
  const Database db = Database::OpenForRecording(scratch / "m.db");
  std::set<std::pair<std::string, std::string>> in_schema, travelling;
  for (const StoredColumn& column : kColumns)
    if (!column.travels) travelling.insert({std::string(column.table()), std::string(column.name())});
  for (const auto& row :
       db.Query(
             "SELECT t.name, c.name FROM sqlite_schema AS t JOIN pragma_table_info(t.name) AS c WHERE t.type = 'table'")
           .rows)
    in_schema.insert({std::get<std::string>(row[0]), std::get<std::string>(row[1])});
  for (const TravelTable& table : TravelTables())
    for (const std::string_view column : ColumnNames(table))
      travelling.insert({std::string(table.name), std::string(column)});
  EXPECT_EQ(in_schema, travelling);
}

TEST(Travel, KnowsEveryReferenceBetweenTables) {
  const Scratch scratch;
  const Database db = Database::OpenForRecording(scratch / "m.db");
  std::set<std::vector<std::string>> in_schema, travelling;
  for (const auto& row : db.Query("SELECT t.name, f.\"from\", f.\"table\" FROM sqlite_schema AS t JOIN "
                                  "pragma_foreign_key_list(t.name) AS f WHERE t.type = 'table'")
                             .rows)
    in_schema.insert({std::get<std::string>(row[0]), std::get<std::string>(row[1]), std::get<std::string>(row[2])});
  for (const TravelTable& table : TravelTables())
    for (const StoredColumn& column : table.columns)
      if (!column.refers_to.empty())
        travelling.insert({std::string(table.name), std::string(column.name()), std::string(column.refers_to)});
  EXPECT_EQ(in_schema, travelling);
}

}  // namespace
}  // namespace culprit
