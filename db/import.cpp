// SPDX-License-Identifier: Apache-2.0
// Exports into a file: each is read whole, into memory, before the file is opened for writing.
#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "db/database_impl.h"
#include "db/failure.h"
#include "db/file.h"
#include "db/merge.h"
#include "db/read_export.h"

namespace culprit {
namespace {

namespace fs = std::filesystem;

// A directory of our own beside `file`: what fails in there is in nobody's way, and to remove it takes nothing from
// anybody. Removed with all that is in it.
class Workplace {
 public:
  explicit Workplace(const fs::path& file) {
    std::string directory = file.string() + ".XXXXXX";
    if (!mkdtemp(directory.data()))
      throw Error(fmt::format("cannot make {} ({}): make its directory writable, or name another file with --db",
                              file.string(), std::strerror(errno)));
    path_ = directory;
  }
  ~Workplace() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;
  fs::path operator/(std::string_view name) const { return path_ / name; }

 private:
  fs::path path_;
};

// Makes the file elsewhere and gives it its name when it is complete. None when somebody has made the file meanwhile.
std::optional<std::vector<Database::ImportResult>> IntoNewFile(const fs::path& file, std::vector<Connection>& exports) {
  const Workplace workplace(TargetOf(file));
  const fs::path made = workplace / "new.db";
  std::vector<Database::ImportResult> results;
  {
    Connection connection = OpenForWriting(made, file);
    results = MergeAll(connection, exports);
    connection.ReleaseStatements();
    Saying(file, "import", [&] { connection.Execute("PRAGMA journal_mode = DELETE"); });
  }
  // Never over another file, as rename() would; not every file system has links.
  const fs::path target = TargetOf(file);
  if (link(made.c_str(), target.c_str()) == 0) return results;
  if (errno != EEXIST && renameat2(AT_FDCWD, made.c_str(), AT_FDCWD, target.c_str(), RENAME_NOREPLACE) == 0)
    return results;
  if (errno == EEXIST) return std::nullopt;
  throw Error(fmt::format("cannot make {} ({}): name another file with --db", file.string(), std::strerror(errno)));
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
  // A file of no bytes is somebody's already: it stays the same file.
  std::error_code ignored;
  if (fs::symlink_status(file, ignored).type() == fs::file_type::not_found &&
      fs::is_directory(fs::absolute(file).parent_path()))
    if (auto results = IntoNewFile(file, exports)) return std::move(*results);
  // A damaged file would be found out half way, when opening it for writing has changed its header.
  if (!IsNew(file)) OpenForReading(file).CheckWhole();
  Database database(std::make_unique<Impl>(OpenForWriting(file, file), true));
  return MergeAll(database.impl_->connection, exports);
}

}  // namespace culprit
