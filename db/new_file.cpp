// SPDX-License-Identifier: Apache-2.0
#include "db/new_file.h"

#include <SQLiteCpp/Exception.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <stdio.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "db/error.h"
#include "db/open_file.h"

namespace culprit {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kMode = 0644;  // before umask; SQLite's mode for new files

// The destructor removes the name; a file linked under another name stays.
struct Unfinished {
  std::string name;  // empty: nothing to remove
  ~Unfinished() {
    if (!name.empty()) unlink(name.c_str());
  }
};

[[noreturn]] void Refused(int error) {
  throw SQLite::Exception(std::strerror(error), error == ENOSPC || error == EDQUOT ? SQLITE_FULL : SQLITE_IOERR);
}

[[noreturn]] void CannotMake(const fs::path& target, int error) {
  throw Error(fmt::format("cannot make {} ({}): make its directory writable, or name another file with --db",
                          target.string(), std::strerror(error)));
}

void WriteToDisk(const OpenFile& file, std::span<const unsigned char> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!WriteAll(file.get(), text) || fsync(file.get()) != 0) Refused(errno);
}

// Syncs the directory; otherwise a power cut could lose the name of a file on the disk. True even if syncing fails.
bool KeepName(const fs::path& target) {
  const OpenFile directory(target.parent_path().c_str(), O_RDONLY | O_DIRECTORY);
  if (directory.get() >= 0) fsync(directory.get());
  return true;
}

}  // namespace

bool MakeFileByName(const fs::path& target, std::span<const unsigned char> bytes) {
  constexpr int kNames = 1000;
  std::string name;
  OpenFile file;
  for (int i = 0; i < kNames && file.get() < 0; ++i) {
    name = fmt::format("{}.unfinished-{}", target.string(), i);
    file.Close(open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kMode));
    if (file.get() < 0 && errno != EEXIST) break;
  }
  if (file.get() < 0) CannotMake(target, errno);
  Unfinished unfinished{name};
  WriteToDisk(file, bytes);
  // Unlike rename(), never replaces another file; not every file system has links.
  if (link(name.c_str(), target.c_str()) == 0) return KeepName(target);
  if (errno != EEXIST && renameat2(AT_FDCWD, name.c_str(), AT_FDCWD, target.c_str(), RENAME_NOREPLACE) == 0) {
    unfinished.name.clear();  // another process may own the name now
    return KeepName(target);
  }
  if (errno == EEXIST) return false;
  CannotMake(target, errno);
}

bool MakeFile(const fs::path& target, std::span<const unsigned char> bytes) {
  const OpenFile nameless(target.parent_path().c_str(), O_TMPFILE | O_WRONLY, kMode);
  if (nameless.get() < 0) return MakeFileByName(target, bytes);
  WriteToDisk(nameless, bytes);
  const std::string self = fmt::format("/proc/self/fd/{}", nameless.get());
  if (linkat(AT_FDCWD, self.c_str(), AT_FDCWD, target.c_str(), AT_SYMLINK_FOLLOW) == 0) return KeepName(target);
  // Without /proc, as in some containers, the file cannot be given a name.
  return errno == EEXIST ? false : MakeFileByName(target, bytes);
}

}  // namespace culprit
