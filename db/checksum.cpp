// SPDX-License-Identifier: Apache-2.0
#include "db/checksum.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <optional>
#include <unordered_map>
#include <vector>

#include "db/error.h"
#include "db/fnv.h"
#include "db/migrate.h"
#include "db/rows.h"
#include "db/sql_files.h"

namespace culprit {
namespace {

// Sums rows without their ids, which differ between files: instead of an id it takes the row's position in its table.
class Sum {
 public:
  void Add(const TravelRow& row) {
    const TravelTable& table = row.table;
    if (table.name != table_) {
      table_ = table.name;
      Text(table_);
    }
    if (table.kind != RowKind::kDetail) {
      auto& ids = ids_[table.name];
      ids.emplace(row.id, ids.size());
    }
    for (std::size_t i = 0; i < table.columns.size(); ++i)
      Cell(row.values.getColumn(row.first + static_cast<int>(i)), table.columns[i]);
  }

  std::string Text() const { return fmt::format("{:016x}", hash_); }

 private:
  void Cell(const SQLite::Column& value, const StoredColumn& column) {
    if (value.isNull()) {
      Tag('n');
    } else if (!column.refers_to.empty()) {
      Tag('r');
      Word(Reference(column.refers_to, value.getInt64()));
    } else if (value.isInteger()) {
      Tag('i');
      Word(static_cast<std::uint64_t>(value.getInt64()));
    } else if (value.isFloat()) {
      // An export writes -0 as 0.
      Tag('f');
      Word(std::bit_cast<std::uint64_t>(value.getDouble() == 0 ? 0.0 : value.getDouble()));
    } else {
      Tag('t');
      Text({static_cast<const char*>(value.getBlob()), static_cast<std::size_t>(value.getBytes())});
    }
  }

  // A missing row has its own number.
  std::uint64_t Reference(std::string_view table, std::int64_t id) {
    const auto& ids = ids_[table];
    const auto found = ids.find(id);
    return found == ids.end() ? ~std::uint64_t{0} : found->second;
  }

  void Tag(char tag) { Word(static_cast<unsigned char>(tag)); }
  // Like FNV-1a, plus a rotation, because multiplication moves no information to lower bits. Each step is invertible,
  // so a single different word always changes the sum.
  void Word(std::uint64_t word) { hash_ = std::rotl((hash_ ^ word) * kFactor, 29); }
  void Text(std::string_view text) {
    Word(text.size());
    for (; text.size() >= sizeof(std::uint64_t); text.remove_prefix(sizeof(std::uint64_t))) Word(LittleEndian(text));
    Word(LittleEndian(text));
  }
  static std::uint64_t LittleEndian(std::string_view bytes) {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < bytes.size() && i < sizeof word; ++i)
      word |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    return word;
  }

  static constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15;  // odd; 2^64 / the golden ratio
  std::uint64_t hash_ = kFnvBasis;
  std::string_view table_;
  std::unordered_map<std::string_view, std::unordered_map<std::int64_t, std::uint64_t>> ids_;
};

std::string SumOf(Connection& connection, RunId run, std::span<const TravelTable> tables) {
  Sum sum;
  VisitRows(connection, run, tables, [&](const TravelRow& row) { sum.Add(row); });
  return sum.Text();
}

std::vector<TravelTable> SummedTables(int version, std::optional<Chooses> only = {}) {
  std::vector<TravelTable> tables;
  for (const TravelTable& table : TravelTables()) {
    if (!table.summed || (only && table.chooses != *only) || !HasTable(version, table.name)) continue;
    TravelTable& then = tables.emplace_back(table);
    std::erase_if(then.columns, [&](const StoredColumn& column) { return column.since > version; });
  }
  return tables;
}

struct Stored {
  int version = 0;
  RunSums sums;
};

std::optional<Stored> StoredSums(Connection& connection, RunId run) {
  Lease row = connection.Prepared(SelectText("run_checksum") + " WHERE run_id = ?");
  if (!row.Bind(run).Step()) return std::nullopt;
  Stored stored;
  row.Read(At("run_checksum", "version"),
           std::tie(stored.version, stored.sums.itself, stored.sums.launches, stored.sums.content));
  return stored;
}

std::string Quoted(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::vector<std::string> NamesFrom(Connection& connection, std::string_view sql, std::string_view of) {
  Lease row = connection.Prepared(sql);
  row.Bind(of);
  std::vector<std::string> names;
  while (row.Step()) names.push_back(row.Text(0));
  return names;
}

// Readers find shared rows by id, except these, which they find by key.
constexpr std::string_view kSharedByKey[] = {"stage", "metric"};

bool IsFoundByIndex(const TravelTable& table) {
  if (table.kind == RowKind::kShared) return std::ranges::find(kSharedByKey, table.name) != std::end(kSharedByKey);
  return table.kind == RowKind::kOwned;
}

// Readers use the indexes of the schema: those of keys and of CREATE INDEX. Others were added to the file and may lack
// rows.
std::vector<std::string> IndexesOf(Connection& connection, std::string_view table) {
  std::vector<std::string> indexes =
      NamesFrom(connection, "SELECT name FROM pragma_index_list(?) WHERE origin <> 'c' AND partial = 0", table);
  for (std::string& made :
       NamesFrom(connection, "SELECT name FROM pragma_index_list(?) WHERE origin = 'c' AND partial = 0", table)) {
    const std::string by = fmt::format("CREATE INDEX {} ON {} (", made, table);
    if (std::ranges::any_of(Migrations(), [&](const auto& m) { return m.text.find(by) != m.text.npos; }))
      indexes.push_back(std::move(made));
  }
  return indexes;
}

// One statement per index: rows of run ?1 that its table has but the index lacks. Tables of details are their own
// index.
std::vector<std::string> IndexChecks(Connection& connection) {
  std::vector<std::string> checks;
  for (const TravelTable& table : TravelTables()) {
    if (!IsFoundByIndex(table)) continue;
    for (const std::string& index : IndexesOf(connection, table.name)) {
      std::string same = "i.id = r.id";
      for (const std::string& column :
           NamesFrom(connection, "SELECT name FROM pragma_index_info(?) WHERE name IS NOT NULL", index))
        same += fmt::format(" AND i.{0} IS r.{0}", Quoted(column));
      checks.push_back(
          fmt::format("SELECT 1 FROM {0} AS r NOT INDEXED WHERE r.id IN (SELECT {0}.id {1}) AND NOT EXISTS (SELECT 1 "
                      "FROM {0} AS i INDEXED BY {2} WHERE {3}) LIMIT 1",
                      table.name, table.rows_of_run, Quoted(index), same));
    }
  }
  return checks;
}

bool IndexesAgree(Connection& connection, RunId run) {
  for (const std::string& check : IndexChecks(connection)) {
    Lease row = connection.Prepared(check);
    if (row.Bind(run).Step()) return false;
  }
  return true;
}

std::string ShortName(Connection& connection, RunId run) {
  Lease row = connection.Prepared("SELECT uuid FROM run WHERE id = ?");
  return row.Bind(run).Step() ? row.Text(0).substr(0, 8) : std::string("?");
}

}  // namespace

RunSums SumsOf(Connection& connection, RunId run, int version) {
  return {SumOf(connection, run, SummedTables(version, Chooses::kItself)),
          SumOf(connection, run, SummedTables(version, Chooses::kLaunches)),
          SumOf(connection, run, SummedTables(version))};
}

void Seal(Connection& connection, RunId run) {
  const RunSums sums = SumsOf(connection, run, SchemaVersion());
  connection.Prepared("DELETE FROM run_checksum WHERE run_id = ?").Bind(run).Run();
  InsertRow(connection, "run_checksum", run, SchemaVersion(), sums.itself, sums.launches, sums.content);
}

void SealComplete(Connection& connection) {
  Lease row = connection.Prepared(
      "SELECT id FROM run WHERE finished_utc IS NOT NULL AND id NOT IN (SELECT run_id FROM run_checksum)");
  const std::vector<RunId> runs = row.Integers();
  row.Reset();
  for (const RunId run : runs) try {
      Seal(connection, run);
    } catch (const BadNumber&) {
    }
}

bool IsPartIntact(Connection& connection, RunId run, Chooses part) {
  const std::optional<Stored> stored = StoredSums(connection, run);
  return !stored || SumOf(connection, run, SummedTables(stored->version, part)) ==
                        (part == Chooses::kItself ? stored->sums.itself : stored->sums.launches);
}

bool IsIntact(Connection& connection, RunId run) {
  const std::optional<Stored> stored = StoredSums(connection, run);
  return !stored || (SumsOf(connection, run, stored->version) == stored->sums && IndexesAgree(connection, run));
}

void CheckImported(Connection& scratch, std::string_view source_name) {
  for (const RunId run : RunsInTravelOrder(scratch)) {
    const std::optional<Stored> stored = StoredSums(scratch, run);
    if (stored && stored->sums != SumsOf(scratch, run, stored->version))
      throw Error(
          fmt::format("{}: run {} is not what was exported: its checksum differs, so the text was edited or damaged. "
                      "Export the run "
                      "again; to import it as it is, delete its row of run_checksum from the text",
                      source_name, ShortName(scratch, run)));
  }
  SealComplete(scratch);
}

DamagedRun NotIntact(Connection& connection, RunId run) {
  return DamagedRun(fmt::format(
      "run {} ({}) of {} is not what was recorded: its checksum differs, so the file is damaged or was edited. Import "
      "an export of the run into a new file, or record it again; 'culprit runs' shows which runs are intact, and "
      "'culprit export --run UUID' takes them",
      run, ShortName(connection, run), connection.file().string()));
}

}  // namespace culprit
