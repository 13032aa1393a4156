// SPDX-License-Identifier: Apache-2.0
#include "tests/support/scratch.h"

#include <stdlib.h>

#include <fstream>
#include <iterator>
#include <stdexcept>

namespace culprit {

namespace fs = std::filesystem;

// In memory where there is such a place: SQLite syncs often, and no test is about the disk.
Scratch::Scratch() {
  std::string name = "/dev/shm/culprit_test_XXXXXX";
  if (!mkdtemp(name.data())) {
    name = (fs::temp_directory_path() / "culprit_test_XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("no directory for tests, set TMPDIR to one");
  }
  path_ = name;
}

Scratch::~Scratch() {
  std::error_code ignored;
  fs::permissions(path_, fs::perms::owner_all, ignored);
  fs::remove_all(path_, ignored);
}

std::string Bytes(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void Write(const fs::path& file, std::string_view bytes) {
  std::ofstream(file, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

Traces TracesIn(const fs::path& directory) {
  Traces traces;
  for (const auto& entry : fs::directory_iterator(directory))
    traces[entry.path().filename()] = {entry.is_regular_file() ? Bytes(entry.path()) : "", entry.last_write_time()};
  return traces;
}

}  // namespace culprit
