// SPDX-License-Identifier: Apache-2.0
// The answers for kernels that are slow because of where their data lies, as recorded on an H200.
#include "tests/planted/places.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/evidence_page.h"
#include "tests/support/invented_database.h"
#include "tests/support/recordings.h"

namespace culprit::testing {
namespace {

TEST(Places, AreToldWhereACounterTellsThemAndNeverBlamedOnTheCode) {
  const TemporaryFolder scratch;
  Database database = Database::OpenForRecording(scratch / "p.db");
  ImportRecordings("places", database);
  const auto judged = JudgePlaces(database, std::filesystem::path(CULPRIT_SOURCE_DIR) / "tests/planted/places");
  ASSERT_EQ(judged.size(), 5U);
  for (const Place& place : judged) {
    EXPECT_TRUE(place.IsRight()) << place.kind << ": " << place.headline;
    EXPECT_EQ(place.has_caveat, place.kind == "pages") << place.kind;
  }
  ExpectEvidence("places", PlacesDocument(judged));
}

}  // namespace
}  // namespace culprit::testing
