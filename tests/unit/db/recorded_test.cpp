// SPDX-License-Identifier: Apache-2.0
// The measurements that ship with the project are read by every version of it.
#include <gtest/gtest.h>

#include "db/database.h"
#include "tests/support/scratch.h"

namespace culprit {
namespace {

namespace fs = std::filesystem;

TEST(Recorded, EveryShippedRunIsImportedAndComplete) {
  const fs::path folder = fs::path(CULPRIT_SOURCE_DIR) / "db/recorded";
  if (!fs::exists(folder)) GTEST_SKIP() << "nothing is recorded in " << folder;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".sql") continue;
    SCOPED_TRACE(entry.path());
    const Scratch scratch;
    Database db = Database::OpenForRecording(scratch / "m.db");
    EXPECT_GT(db.Import(Bytes(entry.path()), entry.path().filename().string()).runs_added, 0);
    for (const RunSummary& run : db.Runs()) EXPECT_EQ(run.state, "complete") << run.run.uuid;
    for (const NamedQuery& query : NamedQueries()) db.Query(query);
  }
}

}  // namespace
}  // namespace culprit
