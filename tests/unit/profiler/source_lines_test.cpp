// SPDX-License-Identifier: Apache-2.0
// Lines of one_kernel.cu, from the cubin that its build kept.
#include "profiler/source_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "profiler/loaded_modules.h"
#include "tests/unit/profiler/kept_cubin.h"

namespace culprit {
namespace {

using ::testing::IsSupersetOf;
using testing::KeptCubin;
using testing::kInstructionBytes;
using testing::LineOf;

constexpr const char* kOneKernel = "tests/unit/profiler/one_kernel.cu";
constexpr const char* kHeader = "/usr/local/cuda/targets/x86_64-linux/include/device_atomic_functions.hpp";

TEST(OwnLine, IsTheInnermostThatIsNotTheToolkits) {
  EXPECT_EQ(OwnLine({{kHeader, 107}, {"src/count.cuh", 6}, {"src/main.cu", 40}}), (SourceFrame{"src/count.cuh", 6}));
  EXPECT_EQ(OwnLine({{"src/main.cu", 40}}), (SourceFrame{"src/main.cu", 40}));
}

TEST(OwnLine, IsTheInnermostWhereAllAreTheToolkits) {
  EXPECT_EQ(OwnLine({{kHeader, 107}, {"/usr/include/c++/12/bits/stl_algo.h", 9}}),
            (SourceFrame{"device_atomic_functions.hpp", 107}));
}

TEST(OwnLine, IsMissingWithoutLines) { EXPECT_EQ(OwnLine({}), std::nullopt); }

TEST(SourceLines, NameTheStatementsOfAKernel) {
  const auto cubin = KeptCubin(CULPRIT_KEPT_CUBINS);
  ASSERT_FALSE(cubin.empty()) << CULPRIT_KEPT_CUBINS;
  std::set<int> lines;
  for (int pc = 0; pc < 16 * kInstructionBytes; pc += kInstructionBytes) {
    const auto line = InnermostLineOf(cubin, "one_kernel", pc);
    ASSERT_TRUE(line) << pc;
    EXPECT_EQ(line->file, kOneKernel);
    lines.insert(line->line);
  }
  EXPECT_THAT(lines, IsSupersetOf({LineOf(kOneKernel, "tile[threadIdx.x] ="), LineOf(kOneKernel, "__syncthreads"),
                                   LineOf(kOneKernel, "31 - threadIdx.x")}));
}

TEST(SourceLines, AreMissingForAFunctionThatTheCubinLacks) {
  EXPECT_EQ(InnermostLineOf(KeptCubin(CULPRIT_KEPT_CUBINS), "another_kernel", 0), std::nullopt);
}

TEST(SourceLines, AreMissingInWhatIsNoCubin) {
  const std::vector<unsigned char> bytes(100, 'x');
  EXPECT_EQ(InnermostLineOf(bytes, "one_kernel", 0), std::nullopt);
  EXPECT_EQ(InnermostLineOf({}, "one_kernel", 0), std::nullopt);
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
