// SPDX-License-Identifier: Apache-2.0
// Imports into a file by name: all or nothing, and nothing of anybody else.
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <set>
#include <thread>

#include "db/database.h"
#include "db/file.h"
#include "db/merge.h"
#include "db/new_file.h"
#include "db/read_export.h"
#include "tests/support/child_process.h"
#include "tests/support/raw_sqlite.h"
#include "tests/support/scratch.h"
#include "tests/support/small_run.h"

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

TEST_F(ImportInto, TheJournalOfAFileThatIsGoneIsNotPlayedIntoTheNewOne) {
  const fs::path log = file.string() + "-wal", kept = scratch / "kept";
  {
    Database gone = Database::OpenForRecording(file);
    RecordRun(gone, ARun("dead", "2026-01-01T00:00:00Z"), {"v1_7"}, {1024});
    ASSERT_GT(fs::file_size(log), 0u);
    fs::copy_file(log, kept);
  }
  fs::remove(file);
  fs::copy_file(kept, log);
  Import({Text("a.sql", TextOf("aaaa"))});
  const Database database = Database::OpenForReading(file);
  database.CheckWhole();
  ASSERT_EQ(database.Runs().size(), 1u);
  EXPECT_THAT(database.Runs().front().run.uuid, testing::StartsWith("aaaa"));
}

TEST_F(ImportInto, AFailureLeavesTheBytesOfTheFileAsTheyWere) {
  Import({Text("a.sql", TextOf("aaaa"))});
  const Traces before = TracesIn(place.path());
  EXPECT_NE(ComplaintOf([&] { Import({Text("b.sql", TextOf("bbbb")), Text("bad.sql", "hello")}); }), "");
  EXPECT_TRUE(before == TracesIn(place.path()));
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

// A trigger stands in for whatever is found out half way: quick_check sees no harm in it.
constexpr const char* kRefusesHalfWay =
    "CREATE TRIGGER half_way BEFORE INSERT ON metric_value BEGIN SELECT RAISE(ABORT, 'half way'); END";

TEST_F(ImportInto, AFailureHalfWayLeavesTheBytesOfTheFileAsTheyWere) {
  Import({Text("a.sql", TextOf("aaaa"))});
  RawSqlite(file).Execute(kRefusesHalfWay);
  const Traces before = TracesIn(place.path());
  EXPECT_THAT(ComplaintOf([&] { Import({Text("b.sql", TextOf("bbbb"))}); }), HasSubstr("cannot import in"));
  EXPECT_TRUE(before == TracesIn(place.path()));
}

TEST_F(ImportInto, AFullDiskLeavesTheBytesOfAnExistingFileAsTheyWere) {
  Import({Text("a.sql", TextOf("aaaa"))});
  const std::string before = Bytes(file);
  std::vector<int> extents(200);
  std::iota(extents.begin(), extents.end(), 1);
  std::string large;
  {
    Database db = Database::OpenForRecording(scratch / "large.db");
    RecordRun(db, ARun("bbbb"), {"v1_7"}, extents);
    large = db.Export();
  }
  const std::string said = InChild([&] {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{before.size() + 8192, before.size() + 8192};
    setrlimit(RLIMIT_FSIZE, &limit);
    return ComplaintOf([&] { Import({Text("large.sql", large)}); });
  });
  EXPECT_THAT(said, HasSubstr("what was stored before is intact"));
  EXPECT_TRUE(before == Bytes(file));
  EXPECT_EQ(TracesIn(place.path()).size(), 1u);
}

// kill -9 while rows are merged, which a view without end makes last.
TEST_F(ImportInto, KilledHalfWayItLeavesTheBytesOfTheFileAsTheyWere) {
  Import({Text("a.sql", TextOf("aaaa"))});
  const std::string more = TextOf("bbbb");
  RawSqlite(file).Execute(
      "CREATE VIEW forever AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n;"
      "CREATE TRIGGER half_way BEFORE INSERT ON metric_value BEGIN SELECT count(*) FROM forever; END");
  const std::string before = Bytes(file);
  {
    BackgroundChild child([&](int) { Import({Text("b.sql", more)}); });
    for (int i = 0; i < 1000 && TracesIn(place.path()).size() == 1; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    ASSERT_GT(TracesIn(place.path()).size(), 1u) << "it has not begun to write";
    child.Kill();
  }
  EXPECT_TRUE(before == Bytes(file));
  EXPECT_EQ(Database::OpenForReading(file).Runs().size(), 1u);
  RawSqlite(file).Execute("DROP TRIGGER half_way; DROP VIEW forever");
  Import({Text("b.sql", more)});
  EXPECT_EQ(Database::OpenForReading(file).Runs().size(), 2u);
  EXPECT_EQ(TracesIn(place.path()).size(), 1u);
}

// Whoever looks, and so kill -9 at any moment, finds nothing or the whole file, and never another name.
TEST_F(ImportInto, ANewFileIsNeverThereByHalves) {
  const std::string text = TextOf("aaaa");
  const int nameless = open(place.path().c_str(), O_TMPFILE | O_WRONLY, 0600);
  if (nameless < 0) GTEST_SKIP() << "files without a name are not known here";
  close(nameless);
  for (int round = 0; round < 5; ++round) {
    std::atomic<bool> done = false;
    std::thread importing([&] {
      Import({Text("a.sql", text)});
      done = true;
    });
    std::set<std::string> names;
    while (!done)
      for (const auto& entry : fs::directory_iterator(place.path())) names.insert(entry.path().filename());
    importing.join();
    names.erase("m.db");
    EXPECT_THAT(names, testing::IsEmpty());
    EXPECT_EQ(Database::OpenForReading(file).Runs().size(), 1u);
    fs::remove(file);
  }
}

TEST_F(ImportInto, WhereFilesMustHaveANameNothingOfSomebodyElseIsTouched) {
  const std::vector<unsigned char> bytes{'o', 'u', 'r', 's'};
  Write(place / "m.db.unfinished-0", "theirs");
  EXPECT_TRUE(MakeFileByName(file, bytes));
  EXPECT_EQ(Bytes(file), "ours");
  const std::vector<unsigned char> others{'l', 'a', 't', 'e'};
  EXPECT_FALSE(MakeFileByName(file, others));
  EXPECT_FALSE(MakeFile(file, others));
  EXPECT_EQ(Bytes(file), "ours");
  EXPECT_EQ(Bytes(place / "m.db.unfinished-0"), "theirs");
  EXPECT_EQ(TracesIn(place.path()).size(), 2u);
}

TEST_F(ImportInto, AFileThatALinkNamesIsNewTooWhileItIsNotThere) {
  fs::create_symlink("target.db", file);
  const std::string text = TextOf("aaaa");
  const std::string said = InChild([&] {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{10'000, 10'000};
    setrlimit(RLIMIT_FSIZE, &limit);
    return ComplaintOf([&] { Import({Text("a.sql", text)}); });
  });
  EXPECT_THAT(said, HasSubstr("check its free space"));
  EXPECT_FALSE(fs::exists(place / "target.db"));
  Import({Text("a.sql", text)});
  EXPECT_TRUE(fs::is_symlink(file));
  EXPECT_EQ(Database::OpenForReading(place / "target.db").Runs().size(), 1u);
}

TEST_F(ImportInto, TellsThatARunIsThereWithOtherContent) {
  const std::string one = TextOf("aaaa", "one");  // once: the second time it would say a later second
  Import({Text("a.sql", one)});
  const auto same = Import({Text("a.sql", one)});
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
  EXPECT_THAT(
      ComplaintOf([&] { OpenForWriting(file, 1000); }),
      HasSubstr("cannot record into " + file.string() + ", another process has been reading it for more than 1 s"));
}

TEST_F(ImportInto, AReaderWhoStaysIsNamedAndTheFileLeftAsItWas) {
  Import({Text("a.sql", TextOf("aaaa"))});
  const std::string before = Bytes(file);
  RawSqlite reader(file);
  reader.Execute("BEGIN; SELECT count(*) FROM run");
  std::vector<Connection> exports;
  exports.push_back(ReadExport(TextOf("bbbb"), "b.sql"));
  {
    Connection connection = OpenForImport(file, 1000);
    EXPECT_THAT(
        ComplaintOf([&] { MergeAll(connection, exports); }),
        HasSubstr("cannot import into " + file.string() + ", another process has been reading it for more than 1 s"));
  }
  EXPECT_TRUE(before == Bytes(file));
  EXPECT_EQ(TracesIn(place.path()).size(), 1u);
}

TEST_F(ImportInto, GoesOnBesideARecorder) {
  Import({Text("a.sql", TextOf("aaaa"))});
  {
    Database recorder = Database::OpenForRecording(file);
    RecordRun(recorder, ARun("bbbb"), {"v1_7"}, {1024});
    Import({Text("c.sql", TextOf("cccc"))});
    RecordRun(recorder, ARun("dddd"), {"v1_7"}, {1024});
  }
  EXPECT_EQ(Database::OpenForReading(file).Runs().size(), 4u);
  EXPECT_EQ(TracesIn(place.path()).size(), 1u);
}

}  // namespace
}  // namespace culprit
