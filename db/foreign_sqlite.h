// SPDX-License-Identifier: Apache-2.0
// Reads an SQLite file of another program from memory. Never writes, opens no file, and runs no code of the file: it
// reads tables, not views or virtual tables.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "db/database.h"

namespace culprit {

class ForeignSqlite {
 public:
  // Keeps a reference to `bytes`. `name`: the file's name in messages. Throws culprit::Error if it is damaged.
  ForeignSqlite(std::string_view bytes, const std::string& name);
  ~ForeignSqlite();
  ForeignSqlite(const ForeignSqlite&) = delete;

  // True for a table, and for a column that the table stores. Case matters not, as in SQL.
  bool Has(const std::string& table) const { return Has(table, ""); }
  bool Has(const std::string& table, const std::string& column) const;

  using Row = std::span<const Value>;
  // Reads these columns of all rows, in the order of the file. A column that the table lacks is NULL in every row, and a
  // table that is missing has no rows.
  // Throws culprit::Error when the file is damaged.
  void ForEach(const std::string& table, std::span<const char* const> columns,
               const std::function<void(Row)>& read) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace culprit
