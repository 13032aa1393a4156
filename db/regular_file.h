// SPDX-License-Identifier: Apache-2.0
// Opens files that a database, a trace or a report names. Such a name is untrusted: it may be that of a FIFO, of a
// device, or of a file outside the expected folder.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "db/open_file.h"

namespace culprit {

// "a directory", "a FIFO", "a socket", "a device"; empty for a regular file.
std::string_view KindOfSpecialFile(mode_t mode);

// True for a relative path that never goes up: "src/k.cu". A link on the way may still point anywhere.
bool LeadsDown(const std::filesystem::path& path);

// The canonical path of `folder`/`name`; none when it is missing or lies outside `folder`.
std::optional<std::filesystem::path> FindInside(const std::filesystem::path& folder, const std::filesystem::path& name);

// A regular file opened for reading. Other kinds of files are refused, and opening never blocks.
class RegularFile {
 public:
  // Throws culprit::Error if the file is not regular or cannot be read.
  explicit RegularFile(const std::filesystem::path& file);

  std::uintmax_t Size() const { return size_; }
  // The next bytes, as many as fit; 0 at the end. Throws culprit::Error.
  std::size_t Read(std::span<char> into);
  // The rest of the file, at most Size() bytes.
  std::string Text();

 private:
  std::filesystem::path path_;
  OpenFile descriptor_;
  std::uintmax_t size_ = 0;
};

}  // namespace culprit
