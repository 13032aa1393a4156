// SPDX-License-Identifier: Apache-2.0
// Merges an export: into a scratch database at the export's own schema first, migrated to ours, then run by run into
// the file.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sqlite3.h>

#include <algorithm>
#include <optional>

#include "db/database_impl.h"
#include "db/failure.h"
#include "db/insert_text.h"
#include "db/migrate.h"
#include "db/shared_access_text.h"
#include "db/travel.h"

namespace culprit {
namespace {

void BindValue(SQLite::Statement& statement, int index, const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    statement.bind(index, *integer);
  } else if (const auto* real = std::get_if<double>(&value)) {
    statement.bind(index, *real);
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    statement.bind(index, *text);
  } else {
    statement.bind(index);
  }
}

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

// An INSERT into the scratch database. Names come from text that anyone may have written, so they are checked, not
// trusted.
SQLite::Statement PrepareInsert(Connection& scratch, const InsertTarget& target, std::string_view source_name) {
  const auto refuse = [&](const std::string& what) {
    throw Error(fmt::format("{} line {}: {}; nothing was imported", source_name, target.line, what));
  };
  std::vector<std::string> known;
  {
    Lease row = scratch.Prepared(
        "SELECT name FROM pragma_table_info((SELECT name FROM sqlite_schema WHERE type = 'table' AND name = ?))");
    row.Bind(target.table);
    while (row.Step()) known.push_back(row.Text(0));
  }
  if (known.empty()) refuse(fmt::format("there is no table '{}' in this schema", target.table));
  for (const std::string& column : target.columns)
    if (std::find(known.begin(), known.end(), column) == known.end())
      refuse(fmt::format("{} has no column '{}'", target.table, column));
  std::string marks;
  for (std::size_t i = 0; i < target.columns.size(); ++i) marks += i ? ", ?" : "?";
  return {scratch.sqlite(), fmt::format("INSERT INTO \"{}\" (\"{}\") VALUES ({})", target.table,
                                        fmt::join(target.columns, "\", \""), marks)};
}

// What no constraint of the schema can say: every reader would refuse the whole run for it.
void CheckSharedAccesses(Connection& scratch, std::string_view source_name) {
  Lease row = scratch.Prepared("SELECT name, addresses FROM shared_access");
  while (row.Step()) {
    try {
      AddressesOf(row.Text(1));
    } catch (const Error& e) {
      throw Error(fmt::format("{}: shared access '{}': {}; nothing was imported", source_name, row.Text(0), e.what()));
    }
  }
}

Connection ReadIntoScratch(std::string_view text, std::string_view source_name) {
  const int version = SchemaOf(text, source_name);
  if (version > SchemaVersion())
    throw Error(fmt::format(
        "{} was written by a newer culprit (schema {}, this one knows {}): update culprit; nothing was imported",
        source_name, version, SchemaVersion()));
  Connection scratch(std::string(source_name),
                     SQLite::Database(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_NOMUTEX));
  Migrate(scratch, version);
  scratch.Execute("PRAGMA foreign_keys = OFF");  // checked as a whole below, which can name the table
  WriteTransaction transaction(scratch);
  std::optional<SQLite::Statement> insert;
  ReadInserts(text, source_name,
              {[&](const InsertTarget& target) { insert.emplace(PrepareInsert(scratch, target, source_name)); },
               [&](std::span<const Value> row, int line) {
                 for (std::size_t i = 0; i < row.size(); ++i) BindValue(*insert, static_cast<int>(i) + 1, row[i]);
                 try {
                   insert->exec();
                   insert->reset();
                 } catch (const SQLite::Exception& e) {
                   throw Error(fmt::format("{} line {}: {}; nothing was imported", source_name, line, e.what()));
                 }
               }});
  insert.reset();
  SQLite::Statement broken(scratch.sqlite(), "PRAGMA foreign_key_check");
  if (broken.executeStep())
    throw Error(fmt::format("{}: a row of {} refers to a row of {} that is not there; nothing was imported",
                            source_name, broken.getColumn(0).getString(), broken.getColumn(2).getString()));
  broken.reset();
  transaction.Commit();
  Migrate(scratch, SchemaVersion());
  CheckSharedAccesses(scratch, source_name);
  return scratch;
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
      // Details of shared rows that were here already, or came with an earlier run.
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
        statement.bind(index, ids_[target].at(value.getInt64()));
      }
    }
  }

  SQLite::Statement& Cached(std::map<std::string_view, SQLite::Statement>& cache, const TravelTable& table,
                            const char* pattern, const char* separator, const char* mark) {
    const auto found = cache.find(table.name);
    if (found != cache.end()) return found->second;
    std::vector<std::string> names, marks;
    for (const TravelColumn& column : table.columns) {
      names.push_back(fmt::format("\"{}\"", column.name));
      marks.emplace_back(mark);
    }
    return cache
        .emplace(table.name, SQLite::Statement(connection_.sqlite(),
                                               fmt::format(fmt::runtime(pattern), table.name,
                                                           fmt::join(names, separator), fmt::join(marks, ", "))))
        .first->second;
  }

  std::optional<std::int64_t> FindShared(const TravelRow& row) {
    SQLite::Statement& find = Cached(finds_, row.table, "SELECT id FROM {0} WHERE ({1}) = ({2})", ", ", "?");
    BindAll(find, row);
    std::optional<std::int64_t> id;
    if (find.executeStep()) id = find.getColumn(0).getInt64();
    find.reset();
    return id;
  }

  void Insert(const TravelRow& row) {
    SQLite::Statement& insert = Cached(inserts_, row.table, "INSERT INTO {0} ({1}) VALUES ({2})", ", ", "?");
    BindAll(insert, row);
    insert.exec();
    insert.reset();
  }

  Connection& connection_;
  IdMap ids_;
  std::set<std::pair<std::string_view, std::int64_t>> inserted_shared_;
  std::map<std::string_view, SQLite::Statement> finds_, inserts_;
};

enum class Presence { kAbsent, kThere, kSuperseded };

// A run that was exported while it was being recorded, or was interrupted there, gives way to its finished self.
Presence PresenceOf(Connection& connection, Connection& scratch, RunId incoming, std::string& uuid) {
  bool finished = false;
  {
    Lease row = scratch.Prepared("SELECT uuid, finished_utc IS NOT NULL FROM run WHERE id = ?");
    row.Bind(incoming).Step();
    uuid = row.Text(0);
    finished = row.Int(1) != 0;
  }
  Lease row = connection.Prepared("SELECT finished_utc IS NOT NULL, boot_id = '' FROM run WHERE uuid = ?");
  if (!row.Bind(uuid).Step()) return Presence::kAbsent;
  const bool is_snapshot = row.Int(0) == 0 && row.Int(1) != 0;  // imported, so nobody here is recording it
  return finished && is_snapshot ? Presence::kSuperseded : Presence::kThere;
}

}  // namespace

Database::ImportResult Database::Import(std::string_view sql_text, std::string_view source_name) {
  Connection& connection = impl_->connection;
  Connection scratch =
      Saying(std::string(source_name), "import", [&] { return ReadIntoScratch(sql_text, source_name); });
  return Saying(connection.file(), "import", [&] {
    ImportResult result;
    WriteTransaction transaction(connection);
    Merger merger(connection);
    for (const RunId run : RunsInTravelOrder(scratch)) {
      std::string uuid;
      const Presence presence = PresenceOf(connection, scratch, run, uuid);
      if (presence == Presence::kThere) {
        ++result.runs_already_there;
        continue;
      }
      if (presence == Presence::kSuperseded) connection.Prepared("DELETE FROM run WHERE uuid = ?").Bind(uuid).Run();
      VisitRows(scratch, run, [&](const TravelRow& row) { merger.Write(row); });
      merger.EndRun();
      ++result.runs_added;
    }
    transaction.Commit();
    return result;
  });
}

}  // namespace culprit
