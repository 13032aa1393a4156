// SPDX-License-Identifier: Apache-2.0
// Lines of one_kernel.cu, from the cubin that its build kept.
#include "profiler/source_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "profiler/loaded_modules.h"

namespace culprit {
namespace {

namespace fs = std::filesystem;
using ::testing::IsSupersetOf;

std::vector<unsigned char> KeptCubin() {
  for (const auto& entry : fs::directory_iterator(CULPRIT_KEPT_CUBINS))
    if (entry.path().extension() == ".cubin") {
      std::ifstream file(entry.path(), std::ios::binary);
      return {std::istreambuf_iterator<char>(file), {}};
    }
  return {};
}

// Where the source has `text`, counted from 1.
int LineOf(const std::string& text) {
  std::ifstream file(fs::path(CULPRIT_SOURCE_DIR) / "tests/unit/profiler/one_kernel.cu");
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.find(text) != line.npos) return number;
  }
  return 0;
}

constexpr int kInstructionBytes = 16;

TEST(SourceLines, NameTheStatementsOfAKernel) {
  const auto cubin = KeptCubin();
  ASSERT_FALSE(cubin.empty()) << CULPRIT_KEPT_CUBINS;
  std::set<int> lines;
  for (int pc = 0; pc < 16 * kInstructionBytes; pc += kInstructionBytes) {
    const auto line = SourceLineOf(cubin, "one_kernel", pc);
    ASSERT_TRUE(line) << pc;
    EXPECT_EQ(line->file, "tests/unit/profiler/one_kernel.cu");
    lines.insert(line->line);
  }
  EXPECT_THAT(lines,
              IsSupersetOf({LineOf("tile[threadIdx.x] ="), LineOf("__syncthreads"), LineOf("31 - threadIdx.x")}));
}

TEST(SourceLines, AreMissingForAFunctionThatTheCubinLacks) {
  EXPECT_EQ(SourceLineOf(KeptCubin(), "another_kernel", 0), std::nullopt);
}

TEST(SourceLines, AreMissingInWhatIsNoCubin) {
  const std::vector<unsigned char> bytes(100, 'x');
  EXPECT_EQ(SourceLineOf(bytes, "one_kernel", 0), std::nullopt);
  EXPECT_EQ(SourceLineOf({}, "one_kernel", 0), std::nullopt);
}

TEST(SourceLines, NameFilesRelativeToTheRepositoryAndOthersWithoutTheirFolder) {
  const std::string root = CULPRIT_SOURCE_DIR;
  EXPECT_EQ(PlaceOf(root + "/kernels/sgemm/v0.cu"), "kernels/sgemm/v0.cu");
  EXPECT_EQ(PlaceOf(root + "/kernels/sgemm/../epilogue.cuh"), "kernels/epilogue.cuh");
  EXPECT_EQ(PlaceOf("/somewhere/else/app.cu"), "app.cu");
  EXPECT_EQ(PlaceOf(root + "-of-another/app.cu"), "app.cu") << "a sibling whose name begins alike";
  EXPECT_EQ(PlaceOf("src/app.cu"), "src/app.cu") << "compiled by a relative name";
  EXPECT_EQ(PlaceOf("../../home/app.cu"), "app.cu");
}

TEST(LoadedModules, HaveNoLinesWhenNothingWasLoaded) { EXPECT_EQ(LoadedModules().Find("one_kernel", 0), std::nullopt); }

}  // namespace
}  // namespace culprit
