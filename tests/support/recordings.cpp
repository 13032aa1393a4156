// SPDX-License-Identifier: Apache-2.0
#include "tests/support/recordings.h"

#include <algorithm>
#include <stdexcept>

#include "db/compressed.h"
#include "tests/support/scratch.h"

namespace culprit::testing {
namespace {

namespace fs = std::filesystem;

const fs::path kRecorded = fs::path(CULPRIT_SOURCE_DIR) / "db/recorded";
constexpr std::size_t kMost = std::size_t{1} << 30;

}  // namespace

std::vector<fs::path> RecordingsIn(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(kRecorded / folder))
    if (entry.path().string().ends_with(".sql.zst")) files.push_back(entry.path());
  std::ranges::sort(files);
  if (files.empty()) throw std::runtime_error("there is no recording in " + (kRecorded / folder).string());
  return files;
}

std::string ReadRecording(const fs::path& file) { return Decompressed(Bytes(kRecorded / file), kMost); }

void ImportRecording(const fs::path& file, Database& database) { database.Import(ReadRecording(file), file.string()); }

void ImportRecordings(const fs::path& folder, Database& database) {
  for (const fs::path& file : RecordingsIn(folder)) ImportRecording(file, database);
}

}  // namespace culprit::testing
