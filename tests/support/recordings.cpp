// SPDX-License-Identifier: Apache-2.0
#include "tests/support/recordings.h"

#include <algorithm>
#include <stdexcept>

#include "db/compressed.h"
#include "tests/support/scratch.h"

namespace culprit::testing {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostBytes = std::size_t{1} << 30;

}  // namespace

fs::path Recording(const fs::path& file) { return fs::path(CULPRIT_SOURCE_DIR) / "tests/recorded" / file; }

std::vector<fs::path> RecordingsIn(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(Recording(folder)))
    if (entry.path().string().ends_with(".sql.zst")) files.push_back(folder / entry.path().filename());
  std::ranges::sort(files);
  if (files.empty()) throw std::runtime_error("there is no recording in " + Recording(folder).string());
  return files;
}

void ImportRecording(const fs::path& file, Database& database) {
  database.Import(Decompressed(Bytes(Recording(file)), kMostBytes), file.string());
}

void ImportRecordings(const fs::path& folder, Database& database) {
  for (const fs::path& file : RecordingsIn(folder)) ImportRecording(file, database);
}

}  // namespace culprit::testing
