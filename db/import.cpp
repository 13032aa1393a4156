// SPDX-License-Identifier: Apache-2.0
// Imports exports into a file. Reads each export completely into memory before it opens the file, and writes only when
// everything can be written.
#include <sqlite3.h>

#include <memory>
#include <optional>

#include "db/database_impl.h"
#include "db/failure.h"
#include "db/file.h"
#include "db/merge.h"
#include "db/new_file.h"
#include "db/read_export.h"
#include "db/still.h"

namespace culprit {
namespace {

namespace fs = std::filesystem;

// None when another process has created the file meanwhile.
std::optional<std::vector<Database::ImportResult>> IntoNewFile(const fs::path& file, std::vector<Connection>& exports) {
  Connection made(file, InMemory());
  auto results = MergeAll(made, exports);
  sqlite3_int64 size = 0;
  const std::unique_ptr<unsigned char, void (*)(void*)> bytes(sqlite3_serialize(made.handle(), "main", &size, 0),
                                                              sqlite3_free);
  const bool is_ours = Saying(file, "import", [&] {
    if (!bytes) throw SQLite::Exception("out of memory", SQLITE_NOMEM);
    return MakeFile(TargetOf(file), {bytes.get(), static_cast<std::size_t>(size)});
  });
  if (!is_ours) return std::nullopt;
  return results;
}

std::vector<Database::ImportResult> IntoExistingFile(const fs::path& file, std::vector<Connection>& exports) {
  // A damaged file may affect any run, so refuse it.
  if (!IsNew(file)) Database::OpenForReading(file).CheckWhole();
  Connection connection = OpenForImport(file);
  auto results = MergeAll(connection, exports);
  LeaveAtRest(connection);
  return results;
}

}  // namespace

Database::ImportResult Database::Import(std::string_view sql_text, std::string_view source_name) {
  std::vector<Connection> exports;
  exports.push_back(ReadExport(sql_text, source_name));
  return MergeAll(impl_->connection, exports).front();
}

std::vector<Database::ImportResult> Database::ImportInto(const fs::path& file, std::span<const ImportSource> sources) {
  std::vector<Connection> exports;
  for (const ImportSource& source : sources) exports.push_back(ReadExport(source.read(), source.name));
  std::error_code ignored;
  // An existing empty file stays the same file. When a file is gone but its journal exists, only SQLite may create the
  // file again, because it deletes the journal first.
  const fs::path target = TargetOf(file);
  const bool is_alone =
      !fs::exists(Beside(target, "-wal"), ignored) && !fs::exists(Beside(target, "-journal"), ignored);
  if (fs::status(file, ignored).type() == fs::file_type::not_found && is_alone &&
      fs::is_directory(target.parent_path()))
    if (auto results = IntoNewFile(file, exports)) return std::move(*results);
  return IntoExistingFile(file, exports);
}

}  // namespace culprit
