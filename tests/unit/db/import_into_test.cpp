// SPDX-License-Identifier: Apache-2.0
// Imports into a file by name: all or nothing, and nothing of anybody else.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <chrono>
#include <thread>

#include "db/database.h"
#include "db/file.h"
#include "tests/unit/db/child_process.h"
#include "tests/unit/db/raw_sqlite.h"
#include "tests/unit/db/scratch.h"
#include "tests/unit/db/small_run.h"

namespace culprit {
namespace {

using testing::AllOf;
using testing::HasSubstr;

namespace fs = std::filesystem;

class ImportInto : public testing::Test {
 protected:
  std::string TextOf(const std::string& uuid, const std::string& label = "") {
    const fs::path made = scratch / fmt::format("made_{}.db", ++made_);
    Database db = Database::OpenForRecording(made);
    RecordRun(db, ARun(uuid, "2026-01-01T00:00:00Z", label), {"v1_7", "v1_6"}, {1024});
    return db.Export();
  }
  static Database::ImportSource Text(std::string name, std::string text) {
    return {std::move(name), [text] { return text; }};
  }
  std::vector<Database::ImportResult> Import(const std::vector<Database::ImportSource>& sources) {
    return Database::ImportInto(file, sources);
  }

  Scratch scratch;
  Scratch place;
  int made_ = 0;
  fs::path file = place / "m.db";
};

TEST_F(ImportInto, ANewFileIsThereWithNothingBesideIt) {
  EXPECT_EQ(Import({Text("a.sql", TextOf("aaaa")), Text("b.sql", TextOf("bbbb"))}).size(), 2u);
  EXPECT_EQ(Database::OpenForReading(file).Runs().size(), 2u);
  EXPECT_EQ(TracesIn(place.path()).size(), 1u);
}

TEST_F(ImportInto, AllFilesOrNone) {
  EXPECT_THAT(ComplaintOf([&] {
                Import({Text("a.sql", TextOf("aaaa")), Text("bad.sql", "hello")});
              }),
              AllOf(HasSubstr("bad.sql"), HasSubstr("nothing was imported")));
  EXPECT_TRUE(fs::is_empty(place.path()));
}

TEST_F(ImportInto, AFailureLeavesTheBytesOfTheFileAsTheyWere) {
  Import({Text("a.sql", TextOf("aaaa"))});
  const Traces before = TracesIn(place.path());
  EXPECT_NE(ComplaintOf([&] { Import({Text("b.sql", TextOf("bbbb")), Text("bad.sql", "hello")}); }), "");
  EXPECT_EQ(before, TracesIn(place.path()));
}

TEST_F(ImportInto, AFailureTakesNothingOfAnotherProcess) {
  const std::string theirs = TextOf("bbbb");
  EXPECT_NE(ComplaintOf([&] {
              Import({{"bad.sql", [&] {
                         Database::OpenForRecording(file).Import(theirs, "theirs.sql");
                         return std::string("hello");
                       }}});
            }),
            "");
  EXPECT_EQ(Database::OpenForReading(file).Runs().size(), 1u);
}

TEST_F(ImportInto, AFullDiskLeavesNothingBehind) {
  std::vector<Database::ImportSource> sources;
  for (int i = 0; i < 8; ++i) sources.push_back(Text(fmt::format("{}.sql", i), TextOf(fmt::format("aaa{}", i))));
  const std::string said = InChild([&] {
    signal(SIGXFSZ, SIG_IGN);  // write() fails with EFBIG instead
    const rlimit limit{100'000, 100'000};
    setrlimit(RLIMIT_FSIZE, &limit);
    return ComplaintOf([&] { Import(sources); });
  });
  EXPECT_THAT(said, AllOf(HasSubstr("m.db refused"), HasSubstr("check its free space")));
  EXPECT_TRUE(fs::is_empty(place.path()));
}

TEST_F(ImportInto, TellsThatARunIsThereWithOtherContent) {
  Import({Text("a.sql", TextOf("aaaa", "one"))});
  const auto same = Import({Text("a.sql", TextOf("aaaa", "one"))});
  EXPECT_EQ(same.at(0).runs_already_there, 1);
  EXPECT_THAT(same.at(0).kept_apart, testing::IsEmpty());
  const auto other = Import({Text("b.sql", TextOf("aaaa", "two"))});
  EXPECT_EQ(other.at(0).runs_already_there, 1);
  EXPECT_THAT(other.at(0).kept_apart, testing::ElementsAre(ARun("aaaa").uuid));
  EXPECT_EQ(Database::OpenForReading(file).Runs().at(0).run.label, "one");
}

TEST_F(ImportInto, WaitsForAReaderThatTakesItsTime) {
  Import({Text("a.sql", TextOf("aaaa"))});
  RawSqlite reader(file);
  reader.Execute("BEGIN; SELECT count(*) FROM run");
  std::thread done([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(kBusyTimeoutMs + 1000));
    reader.Execute("COMMIT");
  });
  EXPECT_EQ(ComplaintOf([&] { Import({Text("b.sql", TextOf("bbbb"))}); }), "");
  done.join();
  EXPECT_EQ(Database::OpenForReading(file).Runs().size(), 2u);
}

TEST_F(ImportInto, SaysThatItIsAReaderWhoIsInTheWay) {
  Import({Text("a.sql", TextOf("aaaa"))});
  RawSqlite reader(file);
  reader.Execute("BEGIN; SELECT count(*) FROM run");
  EXPECT_THAT(ComplaintOf([&] { OpenForWriting(file, file, 1000); }),
              HasSubstr("m.db, another process has been reading it for more than 1 s"));
}

}  // namespace
}  // namespace culprit
