// SPDX-License-Identifier: Apache-2.0
// Writes runs as SQL text. Ids count from 1 in writing order, so the same runs give the same text in every database,
// and a later run only adds lines.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "db/database_impl.h"
#include "db/failure.h"
#include "db/insert_text.h"
#include "db/migrate.h"
#include "db/travel.h"

namespace culprit {
namespace {

void AppendQuoted(std::string& out, std::string_view text) {
  out += '\'';
  for (const char c : text) {
    if (c == '\'') out += '\'';
    out += c;
  }
  out += '\'';
}

// The shortest decimal that reads back as the same double; integers are written in full.
void AppendReal(std::string& out, double value) {
  if (std::isinf(value)) {  // SQL has no infinity; sqlite3 reads an overflowing literal as one
    out += value < 0 ? "-9e999" : "9e999";
    return;
  }
  constexpr double kExact = 9007199254740992;  // 2^53: every smaller integer is a double
  char digits[32];
  const bool is_count = std::abs(value) < kExact && value == std::trunc(value);
  const auto end = is_count ? std::to_chars(digits, digits + sizeof digits, static_cast<std::int64_t>(value)).ptr
                            : std::to_chars(digits, digits + sizeof digits, value).ptr;
  out.append(digits, end);
}

void AppendValue(std::string& out, const SQLite::Column& value) {
  if (value.isNull()) {
    out += "NULL";
  } else if (value.isInteger()) {
    out += std::to_string(value.getInt64());
  } else if (value.isFloat()) {
    AppendReal(out, value.getDouble());
  } else {
    AppendQuoted(out, value.getString());
  }
}

class Writer {
 public:
  explicit Writer(std::string& out) : out_(out) {}

  void BeginRun() {
    new_in_run_.clear();
    EndInsert();
  }

  void Write(const TravelRow& row) {
    const TravelTable& table = row.table;
    if (table.kind != RowKind::kDetail) {
      const auto [known, is_new] = ids_[table.name].try_emplace(row.id, ids_[table.name].size() + 1);
      if (!is_new) return;
      new_in_run_.insert({table.name, row.id});
    } else if (!new_in_run_.contains({table.columns[0].refers_to, row.values.getColumn(0).getInt64()})) {
      return;  // exported with an earlier run
    }
    StartRow(table);
    out_ += '(';
    if (table.kind != RowKind::kDetail) out_ += std::to_string(ids_[table.name].at(row.id)) + ',';
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      if (i) out_ += ',';
      const SQLite::Column value = row.values.getColumn(row.first + static_cast<int>(i));
      const std::string_view target = table.columns[i].refers_to;
      if (target.empty() || value.isNull()) {
        AppendValue(out_, value);
      } else {
        out_ += std::to_string(MappedId(ids_, table, table.columns[i], value.getInt64()));
      }
    }
    out_ += ')';
  }

  void EndInsert() {
    if (current_) out_ += ";\n";
    current_ = nullptr;
  }

 private:
  // One value per line, so that a diff shows values; many rows per statement, so that sqlite3 reads them fast.
  void StartRow(const TravelTable& table) {
    if (current_ == &table) {
      out_ += ",\n";
      return;
    }
    EndInsert();
    out_ += fmt::format("INSERT INTO {}(\"{}\") VALUES\n", table.name, fmt::join(ColumnNames(table), "\",\""));
    current_ = &table;
  }

  std::string& out_;
  const TravelTable* current_ = nullptr;
  IdMap ids_;
  std::set<std::pair<std::string_view, std::int64_t>> new_in_run_;
};

}  // namespace

std::string Database::Export(const std::vector<RunId>& runs) const {
  Connection& connection = impl_->connection;
  return Saying(connection.file(), "export", [&] {
    // A consistent state of a file that others may write to.
    SQLite::Transaction snapshot(connection.sqlite());
    CheckBelonging(connection, connection.file().string());
    std::vector<RunId> chosen = RunsInTravelOrder(connection);
    for (const RunId run : runs)
      if (std::find(chosen.begin(), chosen.end(), run) == chosen.end())
        throw Error(fmt::format("there is no run {} in {}: see 'culprit runs'", run, connection.file().string()));
    if (!runs.empty())
      std::erase_if(chosen, [&](RunId run) { return std::find(runs.begin(), runs.end(), run) == runs.end(); });

    std::string text = fmt::format(
        "{}{}\n-- Measurements of CUDA kernels, made by culprit {}: 'culprit import' adds them to a "
        "database.\nBEGIN;\n",
        kExportMark, SchemaVersion(), CULPRIT_VERSION);
    Writer writer(text);
    for (const RunId run : chosen) {
      impl_->RequireIntact(run);
      writer.BeginRun();
      ReadingOf(connection, run, [&] { VisitRows(connection, run, [&](const TravelRow& row) { writer.Write(row); }); });
    }
    writer.EndInsert();
    text += "COMMIT;\n";
    return text;
  });
}

}  // namespace culprit
