// SPDX-License-Identifier: Apache-2.0
#include "db/regular_file.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "db/error.h"

namespace culprit {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void CannotRead(const fs::path& file, std::string_view why) {
  throw Error("cannot read " + file.string() + ": " + std::string(why) + ".");
}

void Check(const fs::path& file, int failed, const struct stat& found) {
  if (failed != 0) CannotRead(file, std::strerror(errno));
  if (const std::string_view kind = KindOfSpecialFile(found.st_mode); !kind.empty())
    CannotRead(file, "it is " + std::string(kind));
}

}  // namespace

std::string_view KindOfSpecialFile(mode_t mode) {
  if (S_ISREG(mode)) return "";
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a FIFO";
  return S_ISSOCK(mode) ? "a socket" : "a device";
}

bool LeadsDown(const fs::path& path) {
  return !path.empty() && path.is_relative() && std::ranges::none_of(path, [](const fs::path& p) { return p == ".."; });
}

std::optional<fs::path> FindInside(const fs::path& folder, const fs::path& name) {
  std::error_code none;
  const fs::path root = fs::canonical(folder.empty() ? "." : folder, none);
  if (none) return std::nullopt;
  fs::path found = fs::canonical(root / name, none);
  if (none || std::ranges::mismatch(root, found).in1 != root.end()) return std::nullopt;
  return found;
}

RegularFile::RegularFile(const fs::path& file) : path_(file) {
  struct stat found {};
  Check(file, stat(file.c_str(), &found), found);  // opening a device may have side effects
  // Another file may have the name by now, so do not block on a FIFO.
  descriptor_.Close(open(file.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (descriptor_.get() < 0) CannotRead(file, std::strerror(errno));
  Check(file, fstat(descriptor_.get(), &found), found);
  size_ = static_cast<std::uintmax_t>(found.st_size);
}

std::size_t RegularFile::Read(std::span<char> into) {
  const ssize_t got = ReadSome(descriptor_.get(), into.data(), into.size());
  if (got < 0) CannotRead(path_, std::strerror(errno));
  return static_cast<std::size_t>(got);
}

std::string RegularFile::Text() {
  std::string text(size_, '\0');
  std::size_t have = 0;
  for (std::size_t got = 1; got > 0 && have < text.size(); have += got) got = Read(std::span(text).subspan(have));
  text.resize(have);
  return text;
}

}  // namespace culprit
