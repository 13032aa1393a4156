// SPDX-License-Identifier: Apache-2.0
#include "db/merge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sqlite3.h>

#include <algorithm>
#include <optional>
#include <string>

#include "db/checksum.h"
#include "db/failure.h"
#include "db/migrate.h"
#include "db/travel.h"

namespace culprit {
namespace {

void BindColumn(SQLite::Statement& statement, int index, const SQLite::Column& value) {
  if (value.isNull()) {
    statement.bind(index);
  } else if (value.isInteger()) {
    statement.bind(index, static_cast<std::int64_t>(value.getInt64()));
  } else if (value.isFloat()) {
    statement.bind(index, value.getDouble());
  } else {
    statement.bind(index, value.getString());
  }
}

class Merger {
 public:
  explicit Merger(Connection& connection) : connection_(connection) {}

  void Write(const TravelRow& row) {
    const TravelTable& table = row.table;
    if (table.kind == RowKind::kShared) {
      if (ids_[table.name].contains(row.id)) return;
      if (const auto existing = FindShared(row)) {
        ids_[table.name][row.id] = *existing;
        return;
      }
    }
    if (table.kind == RowKind::kDetail) {
      // Details of shared rows that existed before or came with an earlier run.
      const auto owner = std::pair(table.columns[0].refers_to, row.values.getColumn(0).getInt64());
      if (IsShared(owner.first) && !inserted_shared_.contains(owner)) return;
    }
    Insert(row);
    if (table.kind == RowKind::kDetail) return;
    ids_[table.name][row.id] = connection_.LastRowId();
    if (table.kind == RowKind::kShared) inserted_shared_.insert({table.name, row.id});
  }

  void EndRun() { inserted_shared_.clear(); }

 private:
  static bool IsShared(std::string_view name) {
    return std::any_of(TravelTables().begin(), TravelTables().end(),
                       [&](const TravelTable& t) { return t.name == name && t.kind == RowKind::kShared; });
  }

  void BindAll(SQLite::Statement& statement, const TravelRow& row) {
    for (std::size_t i = 0; i < row.table.columns.size(); ++i) {
      const int index = static_cast<int>(i) + 1;
      const SQLite::Column value = row.values.getColumn(row.first + static_cast<int>(i));
      const std::string_view target = row.table.columns[i].refers_to;
      if (target.empty() || value.isNull()) {
        BindColumn(statement, index, value);
      } else {
        statement.bind(index, MappedId(ids_, row.table, row.table.columns[i], value.getInt64()));
      }
    }
  }

  std::optional<std::int64_t> FindShared(const TravelRow& row) {
    Lease find = connection_.Prepared(FindText(row.table.name));
    BindAll(find.statement(), row);
    return find.Step() ? std::optional(find.Integer(0)) : std::nullopt;
  }

  void Insert(const TravelRow& row) {
    Lease insert = connection_.Prepared(row.table.insert);
    BindAll(insert.statement(), row);
    insert.Run();
  }

  Connection& connection_;
  IdMap ids_;
  std::set<std::pair<std::string_view, std::int64_t>> inserted_shared_;
};

// The runs of `connection` that are damaged, except `but`.
std::vector<std::string> DamagedRuns(Connection& connection, RunId but) {
  std::vector<std::string> damaged;
  for (const RunId run : RunsInTravelOrder(connection)) {
    if (run == but) continue;
    try {
      if (IsIntact(connection, run)) continue;
    } catch (const BadRow&) {
    }
    Lease row = connection.Prepared("SELECT substr(uuid, 1, 8) FROM run WHERE id = ?");
    row.Bind(run).Step();
    damaged.push_back(row.Text(0));
  }
  return damaged;
}

// Equal rows are shared: if existing ones are damaged, the new run is damaged too.
void RequireArrivedIntact(Connection& connection, const std::string& uuid) {
  RunId run = 0;
  {
    Lease row = connection.Prepared("SELECT id FROM run WHERE uuid = ?");
    row.Bind(uuid).Step();
    run = row.Integer(0);
  }
  if (IsIntact(connection, run)) return;
  const std::vector<std::string> damaged = DamagedRuns(connection, run);
  throw Error(
      fmt::format("run {} would be damaged in {}: rows that it shares with {} are not what was recorded. Import it "
                  "into a new file, "
                  "beside what 'culprit export --run UUID' takes of the others; nothing was imported",
                  uuid.substr(0, 8), connection.file().string(),
                  damaged.empty() ? "what is there" : fmt::format("run {}", fmt::join(damaged, ", "))));
}

enum class Presence {
  kAbsent,
  kThere,
  kThereWithOtherContent,
  kSuperseded,  // exported while it was recorded or after an interruption: replaced by the finished run
};

Presence PresenceOf(Connection& connection, Connection& scratch, RunId incoming, std::string& uuid) {
  bool finished = false;
  {
    Lease row = scratch.Prepared("SELECT uuid, finished_utc IS NOT NULL FROM run WHERE id = ?");
    row.Bind(incoming).Step();
    uuid = row.Text(0);
    finished = row.Int(1) != 0;
  }
  RunId there = 0;
  bool is_finished_there = false, is_copy = false;
  {
    Lease row = connection.Prepared("SELECT finished_utc IS NOT NULL, boot_id = '', id FROM run WHERE uuid = ?");
    if (!row.Bind(uuid).Step()) return Presence::kAbsent;
    is_finished_there = row.Int(0) != 0;
    is_copy = row.Int(1) != 0;  // imported, so no process here is recording it
    there = row.Integer(2);
  }
  if (finished && !is_finished_there && is_copy) return Presence::kSuperseded;
  // The file holds a later state of the same run, which is no conflict.
  if (!finished) return Presence::kThere;
  const bool same = SumsOf(scratch, incoming, SchemaVersion()) == SumsOf(connection, there, SchemaVersion());
  return same ? Presence::kThere : Presence::kThereWithOtherContent;
}

Database::ImportResult MergeInto(Connection& connection, Connection& scratch) {
  Database::ImportResult result;
  Merger merger(connection);
  for (const RunId run : RunsInTravelOrder(scratch)) {
    std::string uuid;
    switch (PresenceOf(connection, scratch, run, uuid)) {
      case Presence::kThereWithOtherContent:
        result.kept_apart.push_back(uuid);
        [[fallthrough]];
      case Presence::kThere:
        ++result.runs_already_there;
        continue;
      case Presence::kSuperseded:
        connection.Prepared("DELETE FROM run WHERE uuid = ?").Bind(uuid).Run();
        break;
      case Presence::kAbsent:
        break;
    }
    VisitRows(scratch, run, [&](const TravelRow& row) { merger.Write(row); });
    merger.EndRun();
    RequireArrivedIntact(connection, uuid);
    ++result.runs_added;
  }
  return result;
}

// With a rollback journal, readers allow a writer to begin, but not to commit.
void Commit(Connection& connection, WriteTransaction& transaction) {
  try {
    transaction.Commit();
  } catch (const SQLite::Exception& e) {
    if ((e.getErrorCode() & 0xff) != SQLITE_BUSY) throw;
    throw ReadersInTheWay(connection.file(), "import", static_cast<int>(connection.IntegerOf("PRAGMA busy_timeout")));
  }
}

}  // namespace

std::vector<Database::ImportResult> MergeAll(Connection& connection, std::vector<Connection>& exports) {
  return Saying(connection.file(), "import", [&] {
    std::vector<Database::ImportResult> results;
    WriteTransaction transaction(connection);
    BringUpToDate(connection, transaction);
    for (Connection& from : exports) results.push_back(MergeInto(connection, from));
    Commit(connection, transaction);
    return results;
  });
}

}  // namespace culprit
