// SPDX-License-Identifier: Apache-2.0
#include "db/read_export.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <string>
#include <vector>

#include "db/checksum.h"
#include "db/code_rows.h"
#include "db/failure.h"
#include "db/insert_text.h"
#include "db/migrate.h"
#include "db/shared_access_text.h"
#include "db/travel.h"

namespace culprit {
namespace {

struct Insert {
  SQLite::Statement statement;
  std::vector<const NumberRange*> ranges;  // per column; null: any value
};

// An INSERT into the scratch database of schema `version`. The names are foreign input, so they are checked.
Insert PrepareInsert(Connection& scratch, int version, const InsertTarget& target, std::string_view source_name) {
  const auto refuse = [&](const std::string& what) {
    throw Error(fmt::format("{} line {}: {}; nothing was imported", source_name, target.line, what));
  };
  if (!HasTable(version, target.table)) refuse(fmt::format("there is no table '{}' in this schema", target.table));
  for (const std::string& column : target.columns)
    if (!HasColumn(version, target.table, column)) refuse(fmt::format("{} has no column '{}'", target.table, column));
  std::string marks;
  std::vector<const NumberRange*> ranges;
  for (const std::string& column : target.columns) {
    marks += ranges.empty() ? "?" : ", ?";
    ranges.push_back(FindRange(target.table, column));
  }
  return {{scratch.sqlite(), fmt::format("INSERT INTO \"{}\" (\"{}\") VALUES ({})", target.table,
                                         fmt::join(target.columns, "\", \""), marks)},
          std::move(ranges)};
}

// The schema itself refuses a text in a column of numbers.
void CheckRange(const Value& value, const NumberRange& range) {
  const auto* integer = std::get_if<std::int64_t>(&value);
  const auto* real = std::get_if<double>(&value);
  if (!integer && !real) return;
  const double number = integer ? static_cast<double>(*integer) : *real;
  if (!range.Holds(number)) throw BadNumber(range, Shown(number));
}

// Checks what no schema constraint can: otherwise every reader would refuse the run.
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
  scratch.Execute("PRAGMA foreign_keys = OFF");  // checked at the end, with the table's name
  WriteTransaction transaction(scratch);
  std::optional<Insert> insert;
  ReadInserts(
      text, source_name,
      {[&](const InsertTarget& target) { insert.emplace(PrepareInsert(scratch, version, target, source_name)); },
       [&](std::span<const Value> row, int line) {
         const auto refuse = [&](const char* what) {
           throw Error(fmt::format("{} line {}: {}; nothing was imported", source_name, line, what));
         };
         try {
           Lease into(insert->statement);
           for (std::size_t i = 0; i < row.size(); ++i) {
             if (insert->ranges[i]) CheckRange(row[i], *insert->ranges[i]);
             into.BindOne(static_cast<int>(i) + 1, row[i]);
           }
           into.Run();
         } catch (const SQLite::Exception& e) {
           refuse(e.what());
         } catch (const BadNumber& e) {
           refuse(e.what());
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
  try {
    CheckBelonging(scratch, source_name);
    CheckListings(scratch, source_name);
    CheckImported(scratch, source_name);
  } catch (const Error& e) {
    throw Error(fmt::format("{}; nothing was imported", e.what()));
  }
  return scratch;
}

}  // namespace

Connection ReadExport(std::string_view text, std::string_view source_name) {
  return Saying(std::string(source_name), "import", [&] { return ReadIntoScratch(text, source_name); });
}

}  // namespace culprit
