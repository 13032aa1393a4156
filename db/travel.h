// SPDX-License-Identifier: Apache-2.0
// How a run travels: which rows belong to it, in which order, and which columns are ids that change on the way.
// Export writes these rows as text; import reads them from a scratch database and inserts them here. Private to db/.
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
  kShared,  // has an id; equal rows are one row, whichever run needs them
  kOwned,   // has an id; belongs to the run
  kDetail,  // no id of its own; goes with the row that its first column refers to
};

// By what a run is chosen when several are there: by what it is, or by which launches it has, or by neither.
enum class Chooses { kNo, kItself, kLaunches };

struct TravelTable {
  std::string_view name;
  RowKind kind;
  // Selects the rows of run ?1 in an order that does not depend on ids given out by chance: `FROM name ... ORDER BY
  // ...`.
  std::string rows_of_run;
  Chooses chooses = Chooses::kNo;
  bool summed = true;                      // false: says something about the others (db/checksum.h)
  std::vector<StoredColumn> columns = {};  // those of db/columns.h that travel
};

// Every table, referred-to ones first.
std::span<const TravelTable> TravelTables();

// "id, name, chip" for a table with ids, else without.
std::vector<std::string_view> ColumnNames(const TravelTable& table);

struct TravelRow {
  const TravelTable& table;
  std::int64_t id = 0;        // at the source; 0 for kDetail
  SQLite::Statement& values;  // columns from `first` on are those of table.columns
  int first = 0;
};

// Calls `visit` for every row of `run`; throws BadNumber before a row with a number that cannot have been measured.
// Details of a shared row are visited with every run that needs it.
void VisitRows(Connection& connection, RunId run, const std::function<void(const TravelRow&)>& visit);
void VisitRows(Connection& connection, RunId run, std::span<const TravelTable> tables,
               const std::function<void(const TravelRow&)>& visit);

// What binds the rows of a run together beyond the schema's references: a launch is of a stage that its run offers, a
// warning is of a launch of its own run. Throws with a sentence that begins with `name`, for the first row that is not
// so.
void CheckBelonging(Connection& connection, std::string_view name);

// Ids at the source -> ids at the destination, by table.
using IdMap = std::map<std::string_view, std::map<std::int64_t, std::int64_t>>;
// The id that a cell of `column` takes on. Throws when the row that it refers to did not go before it.
std::int64_t MappedId(const IdMap& ids, const TravelTable& table, const StoredColumn& column, std::int64_t id);

// By start, then UUID: the same whatever order they were stored in.
std::vector<RunId> RunsInTravelOrder(Connection& connection);

}  // namespace culprit
