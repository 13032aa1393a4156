// SPDX-License-Identifier: Apache-2.0
// The answers for kernels of which only a part is slow, as recorded on an H100.
#include "tests/planted/real_parts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tests/support/evidence_page.h"
#include "tests/support/invented_database.h"
#include "tests/support/recordings.h"

namespace culprit::testing {
namespace {

TEST(RealParts, AreJudgedAsTheDocumentSaysAndNoWorse) {
  const TemporaryFolder scratch;
  Database database = Database::OpenForRecording(scratch / "p.db");
  ImportRecordings("parts", database);
  const RealParts judged = JudgeRealParts(database, std::filesystem::path(CULPRIT_SOURCE_DIR) / "tests/planted/parts");
  ASSERT_EQ(judged.parts.size(), 40U) << "ten kinds of work, four parts";
  ASSERT_EQ(judged.phases.size(), 20U);
  const auto is_right = [](const RealPart& part) { return part.told_apart && part.said.First() == part.planted; };
  EXPECT_GE(std::ranges::count_if(judged.parts, is_right), 23) << "of 27 that differ";
  const auto both = [](const RealPhases& one) { return one.AreBothFirst(); };
  EXPECT_GE(std::ranges::count_if(judged.phases, both), 8);
  ExpectEvidence("parts", RealPartsDocument(judged));
}

}  // namespace
}  // namespace culprit::testing
