// SPDX-License-Identifier: Apache-2.0
// A database may name any file as the source of a kernel. Which of the reader's files it can make culprit print.
#include "analysis/cli/source_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <optional>

#include "tests/support/invented_database.h"

namespace culprit {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

namespace fs = std::filesystem;

class InFolder {
 public:
  explicit InFolder(const fs::path& folder) : before_(fs::current_path()) { fs::current_path(folder); }
  ~InFolder() { fs::current_path(before_); }
  InFolder(const InFolder&) = delete;
  InFolder& operator=(const InFolder&) = delete;

 private:
  fs::path before_;
};

// A repository in `project`, with the working directory in `project/build`; `secret` lies beside the project.
class ReadableSources : public ::testing::Test {
 protected:
  ReadableSources() {
    fs::create_directories(folder_ / "project/.git");
    fs::create_directories(folder_ / "project/build");
    for (const char* name : {"secret", "project/src/k.cu", "project/.env", "project/.git/config"})
      Write(name, "first line\nsecond line\n");
    in_.emplace(folder_ / "project/build");
  }
  void Write(const char* name, const std::string& text) {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  // The second line of a file of which the recording quotes the first.
  static SourceText At(const std::string& file, const std::string& source = "") {
    const std::vector<SourceQuote> quotes = {{{file, 1}, "first line"}};
    return SourceFiles(source, quotes).At({file, 2});
  }
  static SourceText NotQuoted(const std::string& file, const std::string& source = "") {
    return SourceFiles(source).At({file, 2});
  }

  testing::TemporaryFolder folder_;
  std::optional<InFolder> in_;
};

TEST_F(ReadableSources, AreThoseOfTheRepositoryThatHoldsTheWorkingDirectory) {
  EXPECT_EQ(At("src/k.cu").text, "second line");
  EXPECT_THAT(At("secret").text, IsEmpty()) << "beside the repository";
  EXPECT_THAT(At("secret").why_not, HasSubstr("was not found"));
}

TEST_F(ReadableSources, WithoutARepositoryAreThoseOfTheWorkingDirectoryAlone) {
  fs::remove_all(folder_ / "project/.git");
  EXPECT_THAT(At("src/k.cu").text, IsEmpty());
  in_.emplace(folder_ / "project");
  EXPECT_EQ(At("src/k.cu").text, "second line");
}

TEST_F(ReadableSources, AreNeverThoseOfTheWholeMachine) {
  std::string first, second;
  std::ifstream passwd("/etc/passwd");
  std::getline(passwd, first);
  const std::vector<SourceQuote> quotes = {{{"etc/passwd", 1}, first}};
  ASSERT_FALSE(first.empty());
  for (const fs::path& from : {folder_ / "project", fs::path("/")}) {
    in_.emplace(from);
    EXPECT_TRUE(SourceFiles("", quotes).At({"etc/passwd", 2}).text.empty()) << from;
    EXPECT_TRUE(NotQuoted("proc/self/environ").text.empty()) << from;
  }
  EXPECT_TRUE(SourceFiles("/proc/self").At({"environ", 1}).text.empty()) << "it has no size";
}

TEST_F(ReadableSources, AreQuotedByTheRecordingUnlessTheirFolderIsNamed) {
  EXPECT_THAT(NotQuoted("src/k.cu").text, IsEmpty());
  EXPECT_THAT(NotQuoted("src/k.cu").why_not, HasSubstr("--source DIR"));
  EXPECT_EQ(NotQuoted("src/k.cu", "..").text, "second line");
  const std::vector<SourceQuote> blank = {{{"src/k.cu", 3}, "  "}};
  Write("project/src/k.cu", "first line\nsecond line\n  \n");
  EXPECT_THAT(SourceFiles("", blank).At({"src/k.cu", 2}).text, IsEmpty()) << "every file has a blank line";
}

TEST_F(ReadableSources, AreNotHidden) {
  for (const char* hidden : {".env", ".git/config", "src/.env", "./.env"}) {
    Write("project/src/.env", "first line\nsecond line\n");
    EXPECT_THAT(At(hidden).text, IsEmpty()) << hidden;
    EXPECT_THAT(At(hidden, "..").text, IsEmpty()) << hidden;
    EXPECT_THAT(NotQuoted(hidden, "..").text, IsEmpty()) << hidden;
  }
  EXPECT_THAT(At(".env").why_not, HasSubstr("hidden"));
  fs::create_symlink("../.env", folder_ / "project/src/linked.cu");
  EXPECT_THAT(At("src/linked.cu").text, IsEmpty());
  EXPECT_THAT(NotQuoted("src/linked.cu", "..").text, IsEmpty());
}

TEST_F(ReadableSources, LieInTheirFolderWhereverALinkLeads) {
  fs::create_symlink("../../secret", folder_ / "project/src/out.cu");
  fs::create_directory_symlink("../..", folder_ / "project/src/up");
  fs::create_symlink("k.cu", folder_ / "project/src/in.cu");
  for (const char* name : {"src/out.cu", "src/up/secret"}) {
    EXPECT_THAT(At(name).text, IsEmpty()) << name;
    EXPECT_THAT(At(name).why_not, HasSubstr("leads out of")) << name;
    EXPECT_THAT(NotQuoted(name, "..").text, IsEmpty()) << name;
  }
  EXPECT_THAT(NotQuoted("out.cu", "..").text, IsEmpty()) << "found by its name";
  EXPECT_EQ(At("src/in.cu").text, "second line");
  EXPECT_THAT(At("../secret").text, IsEmpty());
  EXPECT_THAT(At((folder_ / "secret").string()).text, IsEmpty());
  EXPECT_THAT(At("src/../../secret", "..").text, IsEmpty());
}

// A database may name 100,000 files, and below a folder there may be as many.
TEST_F(ReadableSources, AreLookedForInOneWalk) {
  Write("project/deep/down/one.cu", "first line\nsecond line\n");
  SourceFiles files("..");
  EXPECT_EQ(files.At({"one.cu", 2}).text, "second line");
  Write("project/deep/down/two.cu", "first line\nsecond line\n");
  EXPECT_THAT(files.At({"two.cu", 2}).text, IsEmpty()) << "it came after the walk";
  EXPECT_EQ(SourceFiles("..").At({"down/two.cu", 2}).text, "second line");
  Write("project/deep/up/two.cu", "first line\nsecond line\n");
  EXPECT_THAT(NotQuoted("two.cu", "..").why_not, HasSubstr("Several files"));
  EXPECT_EQ(NotQuoted("up/two.cu", "..").text, "second line");
}

TEST_F(ReadableSources, AreFilesAndNothingThatWaits) {
  ASSERT_EQ(mkfifo((folder_ / "project/src/pipe.cu").c_str(), 0600), 0);
  fs::create_symlink("/dev/zero", folder_ / "project/src/zero.cu");
  Write("project/src/empty.cu", "");
  for (const char* name : {"src/pipe.cu", "src/zero.cu", "src/empty.cu", "src"}) {
    EXPECT_THAT(At(name).text, IsEmpty()) << name;
    EXPECT_THAT(NotQuoted(name, "..").text, IsEmpty()) << name;
    EXPECT_FALSE(NotQuoted(name, "..").why_not.empty()) << name;
  }
  EXPECT_THAT(NotQuoted("pipe.cu", "..").text, IsEmpty()) << "found by its name";
}

}  // namespace
}  // namespace culprit
