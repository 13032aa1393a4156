// SPDX-License-Identifier: Apache-2.0
// The rows that belong to a run, their order, and the columns with ids that change between files. Export writes these
// rows as text; import reads them from a scratch database and inserts them here. Private to db/.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "db/columns.h"
#include "db/connection.h"
#include "db/database.h"

namespace culprit {

enum class RowKind {
  kShared,  // has an id; equal rows are stored once, and runs share them
  kOwned,   // has an id; belongs to the run
  kDetail,  // no id of its own; belongs to the row that its first column refers to
};

// Whether the table affects the choice of a run: as its own row, as one of its launches, or not.
enum class Chooses { kNo, kItself, kLaunches };

struct TravelTable {
  std::string_view name;
  RowKind kind;
  // Selects the rows of run ?1 in an order that does not depend on ids: `FROM name ... ORDER BY ...`.
  std::string rows_of_run;
  Chooses chooses = Chooses::kNo;
  bool summed = true;                      // false: describes the other tables (db/checksum.h)
  std::vector<StoredColumn> columns = {};  // those of db/columns.h that travel
  std::string insert = {};                 // gives the other columns the schema's defaults
};

// Every table. A table comes after the tables that it refers to.
std::span<const TravelTable> TravelTables();

// "id, name, chip" for a table with ids, else without "id".
std::vector<std::string_view> ColumnNames(const TravelTable& table);

struct TravelRow {
  const TravelTable& table;
  std::int64_t id = 0;        // at the source; 0 for kDetail
  SQLite::Statement& values;  // columns from `first` on are those of table.columns
  int first = 0;
};

// Calls `visit` for every row of `run`. At a row with a number outside its range it throws BadNumber instead. Details
// of a shared row are visited with every run that uses it.
void VisitRows(Connection& connection, RunId run, const std::function<void(const TravelRow&)>& visit);
void VisitRows(Connection& connection, RunId run, std::span<const TravelTable> tables,
               const std::function<void(const TravelRow&)>& visit);

// Checks two conditions that the schema's references cannot check: a launch's stage belongs to the launch's run, and a
// warning's launch belongs to the warning's run. Throws for the first row that violates them; the message begins with
// `name`.
void CheckBelonging(Connection& connection, std::string_view name);

// Ids at the source -> ids at the destination, by table.
using IdMap = std::map<std::string_view, std::map<std::int64_t, std::int64_t>>;
// The new id for a cell of `column`. Throws when the row that it refers to was not inserted before.
std::int64_t MappedId(const IdMap& ids, const TravelTable& table, const StoredColumn& column, std::int64_t id);

// By start, then UUID, so that the stored order does not matter.
std::vector<RunId> RunsInTravelOrder(Connection& connection);

}  // namespace culprit
