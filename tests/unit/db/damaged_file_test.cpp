// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "db/database.h"
#include "tests/support/scratch.h"
#include "tests/support/small_run.h"

namespace culprit {
namespace {

using testing::HasSubstr;

constexpr std::size_t kPage = 4096;

std::string Recorded(const Scratch& scratch) {
  {
    Database db = Database::OpenForRecording(scratch / "m.db");
    RecordRun(db, ARun("aaaa"), {"v1_7", "v1_6"}, {512, 1024, 2048, 4096});
  }
  return Bytes(scratch / "m.db");
}

// Reads everything there is.
std::string Complaint(const Scratch& scratch) {
  return ComplaintOf([&] { Database::OpenForReading(scratch / "m.db").Export(); });
}

TEST(DamagedFile, GarbageInsteadOfTheSchemaIsSaidToBeDamage) {
  const Scratch scratch;
  std::string bytes = Recorded(scratch);
  for (std::size_t i = 100; i < kPage; ++i) bytes[i] = '\xaa';
  Write(scratch / "m.db", bytes);
  EXPECT_THAT(Complaint(scratch), HasSubstr("m.db is damaged"));
  EXPECT_THAT(ComplaintOf([&] { Database::OpenForRecording(scratch / "m.db"); }), HasSubstr("m.db is damaged"));
  EXPECT_EQ(Bytes(scratch / "m.db"), bytes);
}

TEST(DamagedFile, GarbageInEveryOtherPageIsNoticedWhenItIsRead) {
  const Scratch scratch;
  std::string bytes = Recorded(scratch);
  for (std::size_t i = kPage; i < bytes.size(); ++i) bytes[i] = '\xaa';
  Write(scratch / "m.db", bytes);
  EXPECT_THAT(Complaint(scratch), HasSubstr("m.db is damaged"));
}

TEST(DamagedFile, ATruncatedFileIsSaidToBeDamage) {
  const Scratch scratch;
  const std::string bytes = Recorded(scratch);
  Write(scratch / "m.db", bytes.substr(0, bytes.size() / 2 / kPage * kPage));
  EXPECT_THAT(Complaint(scratch), HasSubstr("m.db is damaged"));
}

}  // namespace
}  // namespace culprit
