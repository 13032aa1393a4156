// SPDX-License-Identifier: Apache-2.0
// Descriptors of the operating system.
#pragma once
#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <string_view>
#include <utility>

namespace culprit {

// A descriptor that is closed when it goes. Programs that we start do not get it, unless they are given it.
class OpenFile {
 public:
  explicit OpenFile(int descriptor = -1) : descriptor_(descriptor) {}
  // -1 where that fails. A new file gets `mode`: rights for this user alone.
  OpenFile(const char* file, int flags, mode_t mode = 0600) : descriptor_(open(file, flags | O_CLOEXEC, mode)) {}
  ~OpenFile() { Close(); }
  OpenFile(const OpenFile&) = delete;
  void Close(int next = -1) {
    if (const int old = std::exchange(descriptor_, next); old >= 0) close(old);
  }
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

// As read(2), which a signal does not interrupt.
inline ssize_t ReadSome(int descriptor, void* buffer, std::size_t room) {
  ssize_t got = 0;
  do got = read(descriptor, buffer, room);
  while (got < 0 && errno == EINTR);
  return got;
}

// False: errno says why.
inline bool WriteAll(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace culprit
