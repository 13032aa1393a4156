// SPDX-License-Identifier: Apache-2.0
#include "bench/program/private_folder.h"

#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>

#include "db/error.h"

namespace culprit {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPrefix = "culprit-run-";

constexpr int kAsFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;

// The kernel gives a lock back when its process ends, however it ends.
bool Lock(int folder) { return flock(folder, LOCK_EX | LOCK_NB) == 0; }

bool IsOurs(int folder) {
  struct stat found {};
  return fstat(folder, &found) == 0 && found.st_uid == geteuid();
}

// Whether `folder` is still what is at `path`.
bool IsAt(int folder, const fs::path& path) {
  struct stat opened {
  }, named{};
  return fstat(folder, &opened) == 0 && lstat(path.c_str(), &named) == 0 && opened.st_dev == named.st_dev &&
         opened.st_ino == named.st_ino;
}

void RemoveAbandoned(const fs::path& parent) {
  std::error_code ignored;
  for (fs::directory_iterator entry(parent, ignored), end; !ignored && entry != end; entry.increment(ignored)) {
    if (!entry->path().filename().string().starts_with(kPrefix)) continue;
    const OpenFile folder(entry->path().c_str(), kAsFolder);
    std::error_code not_removed;
    if (IsOurs(folder.get()) && Lock(folder.get())) fs::remove_all(entry->path(), not_removed);
  }
}

}  // namespace

PrivateFolder::PrivateFolder() {
  std::error_code error;
  fs::path parent = fs::temp_directory_path(error);
  if (error) parent = "/tmp";
  static const bool once = (RemoveAbandoned(parent), true);
  static_cast<void>(once);
  // Another process may take it for abandoned between its making and its locking, and remove it.
  constexpr int kTries = 100;
  for (int i = 0; i < kTries; ++i) {
    std::string name = (parent / (kPrefix + std::string("XXXXXX"))).string();
    if (mkdtemp(name.data()) == nullptr)
      throw Error("cannot make a folder in " + parent.string() + " (" + std::strerror(errno) +
                  "): name one that can be written to in TMPDIR.");
    lock_.Close(open(name.c_str(), kAsFolder));
    path_ = name;
    // A file system that knows no locks has none that could be taken for abandoned.
    if ((Lock(lock_.get()) || errno != EWOULDBLOCK) && IsAt(lock_.get(), path_)) return;
  }
  throw Error("folders in " + parent.string() + " go as soon as they are made: name another one in TMPDIR.");
}

PrivateFolder::~PrivateFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace culprit
