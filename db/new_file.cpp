// SPDX-License-Identifier: Apache-2.0
#include "db/new_file.h"

#include <SQLiteCpp/Exception.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <stdio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "db/error.h"

namespace culprit {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kMode = 0644;  // before umask; SQLite's own for a file that it makes

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

// Removes the name at its end; what was linked to another name stays.
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

void WriteToDisk(int fd, std::span<const unsigned char> bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = write(fd, bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) Refused(errno);
    bytes = bytes.subspan(static_cast<std::size_t>(wrote));
  }
  if (fsync(fd) != 0) Refused(errno);
}

// Else a power cut could take the name of a file that is on the disk. True, also where the directory cannot be synced.
bool KeepName(const fs::path& target) {
  const Descriptor directory(open(target.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.get() >= 0) fsync(directory.get());
  return true;
}

}  // namespace

bool MakeFileByName(const fs::path& target, std::span<const unsigned char> bytes) {
  constexpr int kNames = 1000;
  std::string name;
  int fd = -1;
  for (int i = 0; i < kNames && fd < 0; ++i) {
    name = fmt::format("{}.unfinished-{}", target.string(), i);
    fd = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kMode);
    if (fd < 0 && errno != EEXIST) break;
  }
  const Descriptor file(fd);
  if (fd < 0) CannotMake(target, errno);
  Unfinished unfinished{name};
  WriteToDisk(fd, bytes);
  // Never over another file, as rename() would; not every file system has links.
  if (link(name.c_str(), target.c_str()) == 0) return KeepName(target);
  if (errno != EEXIST && renameat2(AT_FDCWD, name.c_str(), AT_FDCWD, target.c_str(), RENAME_NOREPLACE) == 0) {
    unfinished.name.clear();  // it may be another's by now
    return KeepName(target);
  }
  if (errno == EEXIST) return false;
  CannotMake(target, errno);
}

bool MakeFile(const fs::path& target, std::span<const unsigned char> bytes) {
  const Descriptor nameless(open(target.parent_path().c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, kMode));
  if (nameless.get() < 0) return MakeFileByName(target, bytes);
  WriteToDisk(nameless.get(), bytes);
  const std::string self = fmt::format("/proc/self/fd/{}", nameless.get());
  if (linkat(AT_FDCWD, self.c_str(), AT_FDCWD, target.c_str(), AT_SYMLINK_FOLLOW) == 0) return KeepName(target);
  // In a container without /proc the file cannot be given a name.
  return errno == EEXIST ? false : MakeFileByName(target, bytes);
}

}  // namespace culprit
