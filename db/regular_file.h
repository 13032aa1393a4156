// SPDX-License-Identifier: Apache-2.0
// Files whose names others chose: in a database, a trace or a report. Such a name may lead to a FIFO, to a device, or
// out of the folder in which the file should lie.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace culprit {

// "a directory", "a FIFO", "a socket", "a device"; empty for a regular file.
std::string_view KindOfSpecialFile(mode_t mode);

// Whether it is a relative path that never goes up: "src/k.cu". A link on the way may still lead anywhere.
bool LeadsDown(const std::filesystem::path& path);

// The canonical path of `folder`/`name`; none where nothing is there, or where it leads out of `folder`.
std::optional<std::filesystem::path> FindInside(const std::filesystem::path& folder, const std::filesystem::path& name);

// Opened for reading. Nothing else than a regular file is opened, and nobody waits for one.
class RegularFile {
 public:
  // Throws culprit::Error where the file is not regular or cannot be read.
  explicit RegularFile(const std::filesystem::path& file);
  ~RegularFile();
  RegularFile(const RegularFile&) = delete;
  RegularFile& operator=(const RegularFile&) = delete;

  std::uintmax_t Size() const { return size_; }
  // The next bytes, as many as fit; 0 at the end. Throws culprit::Error.
  std::size_t Read(std::span<char> into);
  // The bytes from here on, at most Size().
  std::string Text();

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
  std::uintmax_t size_ = 0;
};

}  // namespace culprit
