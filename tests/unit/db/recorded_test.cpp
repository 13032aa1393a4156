// SPDX-License-Identifier: Apache-2.0
// The measurements that ship with the project are read by every version of it.
#include <gtest/gtest.h>

#include "db/compressed.h"
#include "db/database.h"
#include "tests/support/scratch.h"

namespace culprit {
namespace {

namespace fs = std::filesystem;

TEST(Recorded, EveryShippedRunIsImportedAndComplete) {
  const fs::path folder = fs::path(CULPRIT_SOURCE_DIR) / "db/recorded";
  int files = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    SCOPED_TRACE(entry.path());
    const Scratch scratch;
    Database db = Database::OpenForRecording(scratch / "m.db");
    const std::string text = Decompressed(Bytes(entry.path()), std::size_t{1} << 30);
    EXPECT_GT(db.Import(text, entry.path().filename().string()).runs_added, 0);
    for (const RunSummary& run : db.Runs()) EXPECT_EQ(run.state, "complete") << run.run.uuid;
    for (const NamedQuery& query : NamedQueries()) db.Query(query);
    ++files;
  }
  EXPECT_GT(files, 0) << folder << " holds no recording";
}

}  // namespace
}  // namespace culprit
