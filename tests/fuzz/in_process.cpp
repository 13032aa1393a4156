// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/in_process.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "analysis/cli/culprit.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/invented_gate.h"

namespace culprit::fuzz {
namespace {

namespace fs = std::filesystem;

// Line feeds and tabs alone have a place in what people read. CSV is data: it keeps every byte.
bool HasControlCharacter(std::string_view text) {
  return std::ranges::any_of(text, [](unsigned char c) { return c < 0x20 && c != '\n' && c != '\t'; });
}

struct RecordedFile {
  fs::path folder;
  std::string file;

  RecordedFile() {
    std::string pattern = (fs::temp_directory_path() / "culprit-fuzz-XXXXXX").string();
    Require(mkdtemp(pattern.data()) != nullptr, "cannot make a temporary folder");
    folder = pattern;
    file = (folder / "recorded.db").string();
    testing::WriteGateDatabase(file);
  }
  ~RecordedFile() {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }
};

}  // namespace

void RunCulprit(const std::vector<std::string>& args) {
  std::ostringstream out, err;
  const int status = Main(args, out, err, false);
  Require(status >= 0 && status <= 2, "an exit status that is not documented");
  Require(status != 2 || !err.view().empty() || !out.view().empty(), "exit status 2 without a word");
  const bool is_data = std::ranges::any_of(args, [](const std::string& arg) { return arg.ends_with("csv"); });
  Require(is_data || !HasControlCharacter(out.view()), "a control character in the output");
  Require(!HasControlCharacter(err.view()), "a control character in an error message");
}

const std::string& Recorded() {
  static const RecordedFile recorded;
  return recorded.file;
}

std::string AsFile(std::string_view content) {
  static const int file = memfd_create("fuzz", 0);
  Require(file >= 0 && ftruncate(file, 0) == 0 &&
              pwrite(file, content.data(), content.size(), 0) == static_cast<ssize_t>(content.size()),
          "cannot make a file in memory");
  return "/proc/self/fd/" + std::to_string(file);
}

}  // namespace culprit::fuzz
