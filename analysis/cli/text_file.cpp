// SPDX-License-Identifier: Apache-2.0
#include "analysis/cli/text_file.h"

#include <fmt/core.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "bench/program/pipe.h"
#include "db/compressed.h"
#include "db/error.h"

namespace culprit {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void CannotRead(const std::string& file, std::string_view why) {
  throw Error(fmt::format("cannot read {}: {}; give files written by culprit export.", file, why));
}

[[noreturn]] void CannotWrite(const std::string& file, std::string_view why) {
  throw Error(fmt::format("cannot write {}: {}; choose another file with -o.", file, why));
}

// Of a file that the process would create now.
mode_t NewFileMode() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

}  // namespace

std::string ReadTextFile(const std::string& file) {
  const OpenFile in(file.c_str(), O_RDONLY);
  struct stat found {};
  if (in.get() < 0 || ::fstat(in.get(), &found) != 0) CannotRead(file, std::strerror(errno));
  if (S_ISDIR(found.st_mode)) CannotRead(file, "it is a directory");
  if (!S_ISREG(found.st_mode) && !S_ISFIFO(found.st_mode) && !S_ISSOCK(found.st_mode))
    CannotRead(file, "it is a device");
  const std::string too_large = fmt::format("it has more than {} MB", kMaxTextBytes >> 20);
  if (found.st_size > static_cast<off_t>(kMaxTextBytes)) CannotRead(file, too_large);
  constexpr std::size_t kChunk = 1 << 20;
  std::string text;
  text.reserve(static_cast<std::size_t>(found.st_size) + 1);
  for (;;) {
    const std::size_t have = text.size();
    text.resize(std::max(have + 1, std::min(text.capacity(), have + kChunk)));
    const ssize_t got = ReadSome(in.get(), text.data() + have, text.size() - have);
    text.resize(have + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0) CannotRead(file, std::strerror(errno));
    if (got == 0) break;
    if (text.size() > kMaxTextBytes) CannotRead(file, too_large);
    if (text.capacity() == text.size()) text.reserve(text.size() + std::max(kChunk, text.size() / 2));
  }
  if (!IsCompressed(text)) return text;
  try {
    return Decompressed(text, kMaxTextBytes);
  } catch (const Error& e) {
    CannotRead(file, e.what());
  }
}

void ReplaceTextFile(const std::string& file, const std::string& text) {
  std::error_code ignored;
  const fs::file_status status = fs::status(file, ignored);
  // A pipe or a device holds nothing to keep, and must not be replaced by a file.
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    const OpenFile out(file.c_str(), O_WRONLY);
    if (out.get() < 0 || !WriteAll(out.get(), text)) CannotWrite(file, std::strerror(errno));
    return;
  }
  const std::string target = fs::exists(status) ? fs::canonical(file, ignored).string() : file;
  mode_t mode = NewFileMode();
  if (struct stat earlier{}; ::stat(target.c_str(), &earlier) == 0) mode = earlier.st_mode & 07777;
  // A name that nobody has, opened so that no link is followed: what is at any other name stays.
  std::string unfinished = target + ".XXXXXX";
  const OpenFile out(::mkostemp(unfinished.data(), O_CLOEXEC));
  if (out.get() < 0) CannotWrite(file, std::strerror(errno));
  if (!WriteAll(out.get(), text) || ::fchmod(out.get(), mode) != 0 || ::fsync(out.get()) != 0 ||
      ::rename(unfinished.c_str(), target.c_str()) != 0) {
    const std::string why = std::strerror(errno);
    ::unlink(unfinished.c_str());
    CannotWrite(file, why);
  }
}

}  // namespace culprit
