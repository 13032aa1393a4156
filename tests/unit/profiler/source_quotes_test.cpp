// SPDX-License-Identifier: Apache-2.0
#include "profiler/source_quotes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace culprit {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Quotes : public ::testing::Test {
 protected:
  Quotes() { std::filesystem::create_directories(folder_); }
  ~Quotes() override { std::filesystem::remove_all(folder_); }

  std::string Write(const std::string& name, const std::string& text) {
    const std::filesystem::path file = folder_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    return file.string();
  }
  static std::uint64_t Size(const std::string& path) { return std::filesystem::file_size(path); }

  const std::filesystem::path folder_ =
      std::filesystem::path(::testing::TempDir()) / ("culprit-quotes-" + std::to_string(getpid()));
};

TEST_F(Quotes, AreTheNamedLinesAndThoseAroundThem) {
  const std::string k = Write("k.cu", "1\r\n2\n3\n\n5\n6\n7\n8\n9"), b = Write("b.cuh", "x\n");
  const std::vector<SourceFrame> lines = {{k, 1}, {k, 8}, {b, 1}, {k, 1}, {b, 40}};
  EXPECT_THAT(QuotesOf(lines, Size),
              ElementsAre(SourceQuote{{"b.cuh", 1}, "x"}, SourceQuote{{"k.cu", 1}, "1"}, SourceQuote{{"k.cu", 2}, "2"},
                          SourceQuote{{"k.cu", 3}, "3"}, SourceQuote{{"k.cu", 6}, "6"}, SourceQuote{{"k.cu", 7}, "7"},
                          SourceQuote{{"k.cu", 8}, "8"}, SourceQuote{{"k.cu", 9}, "9"}));
}

TEST_F(Quotes, AreOfNoFileThatWasChangedOrIsNotTheReaders) {
  const std::string k = Write("k.cu", "1\n2\n"), t = Write("cuda-13.0/include/cuda_fp16.hpp", "1\n2\n");
  const std::vector<SourceFrame> lines = {{k, 1}, {t, 1}, {(folder_ / "gone.cu").string(), 1}, {folder_.string(), 1}};
  EXPECT_THAT(QuotesOf(lines, [](const std::string&) { return 5; }), IsEmpty()) << "it had another size";
  EXPECT_THAT(QuotesOf(lines, [](const std::string&) { return 0; }), IsEmpty()) << "its size is not known";
  EXPECT_THAT(QuotesOf(lines, [](const std::string&) { return 4; }),
              ElementsAre(SourceQuote{{"k.cu", 1}, "1"}, SourceQuote{{"k.cu", 2}, "2"}));
}

TEST_F(Quotes, AreOfNoHiddenFileAndNothingThatWaits) {
  const std::string hidden = Write(".env", "1\n2\n"), pipe = (folder_ / "pipe.cu").string();
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const std::vector<SourceFrame> lines = {{hidden, 1}, {pipe, 1}, {"/proc/self/environ", 1}};
  EXPECT_THAT(QuotesOf(lines, [](const std::string&) { return 4; }), IsEmpty());
}

TEST_F(Quotes, AreTextAndNotLong) {
  const std::string e = "\xc3\xa9", most(SourceQuote::kMostBytes - 1, 'x');
  const std::string k = Write("k.cu", most + e + "more\n\x1b[2J\n\tint i;" + e + "\n" + std::string(1, '\0') + "\n");
  EXPECT_THAT(QuotesOf(std::vector<SourceFrame>{{k, 2}}, Size),
              ElementsAre(SourceQuote{{"k.cu", 1}, most}, SourceQuote{{"k.cu", 3}, "\tint i;" + e}));
}

// Two files of one name and different folders: recordings do not tell them apart, and one text is as good as none.
TEST_F(Quotes, HaveOneTextForEachPlace) {
  const std::string a = Write("a/k.cu", "of a\n"), b = Write("b/k.cu", "of b\n");
  EXPECT_THAT(QuotesOf(std::vector<SourceFrame>{{b, 1}, {a, 1}}, Size), ElementsAre(SourceQuote{{"k.cu", 1}, "of a"}));
}

}  // namespace
}  // namespace culprit
