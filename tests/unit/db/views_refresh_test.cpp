// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "db/database.h"
#include "tests/support/raw_sqlite.h"
#include "tests/support/scratch.h"
#include "tests/support/small_run.h"

namespace culprit {
namespace {

constexpr const char* kStale =
    "DROP VIEW kernel_summary; CREATE VIEW kernel_summary AS SELECT 'of an older culprit' AS text; DROP VIEW "
    "launch_time";

class StaleViews : public testing::Test {
 protected:
  StaleViews() {
    {
      Database db = Database::OpenForRecording(scratch / "m.db");
      RecordRun(db, ARun("aaaa"), {"v1_7"}, {1024});
    }
    RawSqlite(scratch / "m.db").Execute(kStale);
  }
  Scratch scratch;
};

TEST_F(StaleViews, AreShadowedForReadingAndTheFileIsLeftAlone) {
  const Traces before = TracesIn(scratch.path());
  {
    const Database db = Database::OpenForReading(scratch / "m.db");
    EXPECT_EQ(std::get<std::string>(db.Query("SELECT stage FROM kernel_summary").rows.at(0)[0]), "v1_7");
  }
  EXPECT_EQ(before, TracesIn(scratch.path()));
  EXPECT_EQ(RawSqlite(scratch / "m.db").Text("SELECT text FROM kernel_summary"), "of an older culprit");
}

// A view of the file that is up to date goes on reading the file's stale one, unless all are shadowed.
TEST_F(StaleViews, AreNotReadThroughOthersThatAreUpToDate) {
  { Database::OpenForRecording(scratch / "m.db"); }
  RawSqlite(scratch / "m.db")
      .Execute(
          "DROP VIEW launch_time; CREATE VIEW launch_time AS SELECT id AS launch_id, 7.0 AS median_us, 7.0 AS min_us, "
          "7.0 AS max_us, 1 AS samples, 0 AS low_clock_samples, 0 AS gate_open_samples, 1.0 AS clock_mhz FROM launch");
  const Database db = Database::OpenForReading(scratch / "m.db");
  EXPECT_NE(std::get<double>(db.Query("SELECT median_us FROM kernel_summary").rows.at(0)[0]), 7.0);
}

TEST_F(StaleViews, AreMadeAnewForRecording) {
  { Database::OpenForRecording(scratch / "m.db"); }
  EXPECT_EQ(RawSqlite(scratch / "m.db").Text("SELECT stage FROM kernel_summary"), "v1_7");
}

TEST_F(StaleViews, AreTheOnlyOnesThatChange) {
  RawSqlite(scratch / "m.db").Execute("CREATE VIEW mine AS SELECT 1");
  { Database::OpenForRecording(scratch / "m.db"); }
  const std::string schema = RawSqlite(scratch / "m.db").Text("PRAGMA schema_version");
  { Database::OpenForRecording(scratch / "m.db"); }
  EXPECT_EQ(RawSqlite(scratch / "m.db").Text("PRAGMA schema_version"), schema);
  EXPECT_EQ(RawSqlite(scratch / "m.db").Text("SELECT * FROM mine"), "1");
}

}  // namespace
}  // namespace culprit
