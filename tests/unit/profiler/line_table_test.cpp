// SPDX-License-Identifier: Apache-2.0
// The lines of inlined functions and of their callers, from the cubin that the build of inlined_kernel.cu kept.
#include "profiler/code/line_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "profiler/source_lines.h"
#include "tests/unit/profiler/kept_cubin.h"

namespace culprit {
namespace {

using ::testing::Contains;
using ::testing::IsSupersetOf;
using testing::KeptCubin;
using testing::kInstructionBytes;
using testing::LineOf;

constexpr const char* kKernel = "tests/unit/profiler/inlined_kernel.cu";
constexpr const char* kHelper = "tests/unit/profiler/inlined_helper.cuh";

std::vector<unsigned char> Inlined() { return KeptCubin(CULPRIT_INLINED_CUBINS); }

// How many instructions `kernel` has.
int InstructionsOf(const std::vector<unsigned char>& cubin, const std::string& kernel) {
  const ElfImage elf("a cubin", cubin);
  const ElfSection* const code = elf.Find(".text." + kernel);
  return code == nullptr ? 0 : static_cast<int>(code->data.size()) / kInstructionBytes;
}

std::vector<std::vector<SourceFrame>> LinesOf(const std::vector<unsigned char>& cubin, const std::string& kernel) {
  const LineTable table(cubin);
  std::vector<std::vector<SourceFrame>> all;
  for (int i = 0; i < InstructionsOf(cubin, kernel); ++i) all.push_back(table.At(kernel, i * kInstructionBytes));
  return all;
}

TEST(LineTable, NamesEachCallThatAnInstructionWasInlinedThrough) {
  std::set<std::vector<std::pair<std::string, int>>> chains;
  for (const auto& lines : LinesOf(Inlined(), "inlined_kernel")) {
    std::vector<std::pair<std::string, int>> callers;  // of the toolkit's function
    for (std::size_t i = 1; i < lines.size(); ++i) callers.push_back({PlaceOf(lines[i].file), lines[i].line});
    if (!lines.empty() && PlaceOf(lines[0].file) == "device_atomic_functions.hpp") chains.insert(callers);
  }
  const std::vector<std::pair<std::string, int>> twice{{kHelper, LineOf(kHelper, "atomicAdd(count, ")},
                                                       {kHelper, LineOf(kHelper, "AddTo(counts")},
                                                       {kKernel, LineOf(kKernel, "AddPositive(")}};
  const std::vector<std::pair<std::string, int>> once{{kKernel, LineOf(kKernel, "atomicMax(")}};
  EXPECT_THAT(chains, Contains(twice));
  EXPECT_THAT(chains, Contains(once));
}

TEST(LineTable, LeadsEachInstructionToALineOfOnesOwn) {
  std::set<std::pair<std::string, int>> own;
  for (const auto& lines : LinesOf(Inlined(), "inlined_kernel"))
    if (const auto line = OwnLine(lines)) own.insert({line->file, line->line});
  EXPECT_THAT(own, IsSupersetOf({std::pair<std::string, int>{kHelper, LineOf(kHelper, "atomicAdd(count, ")},
                                 std::pair<std::string, int>{kKernel, LineOf(kKernel, "atomicMax(")},
                                 std::pair<std::string, int>{kKernel, LineOf(kKernel, "in[threadIdx.x]")}}));
  for (const auto& [file, line] : own) EXPECT_TRUE(file == kKernel || file == kHelper) << file << ":" << line;
}

TEST(LineTable, BeginsWithTheLineThatCuptiReads) {
  for (const auto& [folder, kernel] :
       {std::pair{CULPRIT_KEPT_CUBINS, "one_kernel"}, std::pair{CULPRIT_INLINED_CUBINS, "inlined_kernel"}}) {
    const auto cubin = KeptCubin(folder);
    const auto all = LinesOf(cubin, kernel);
    ASSERT_FALSE(all.empty()) << kernel;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto cupti = InnermostLineOf(cubin, kernel, static_cast<std::int64_t>(i) * kInstructionBytes);
      ASSERT_EQ(all[i].empty(), !cupti) << kernel << " instruction " << i;
      if (cupti) {
        EXPECT_EQ(PlaceOf(all[i][0].file), cupti->file) << kernel << " instruction " << i;
        EXPECT_EQ(all[i][0].line, cupti->line) << kernel << " instruction " << i;
      }
    }
  }
}

TEST(LineTable, KnowsHowLargeAFileWasWhenItWasCompiled) {
  const std::filesystem::path file = std::filesystem::path(CULPRIT_SOURCE_DIR) / kKernel;
  EXPECT_EQ(LineTable(Inlined()).SizeOf(file.string()), std::filesystem::file_size(file));
  EXPECT_EQ(LineTable(Inlined()).SizeOf("another.cu"), 0);
}

TEST(LineTable, HasNoLineBesideTheCode) {
  const auto cubin = Inlined();
  const LineTable table(cubin);
  EXPECT_TRUE(table.At("inlined_kernel", -kInstructionBytes).empty());
  EXPECT_TRUE(
      table.At("inlined_kernel", std::int64_t{InstructionsOf(cubin, "inlined_kernel")} * kInstructionBytes).empty());
  EXPECT_TRUE(table.At("another_kernel", 0).empty());
  EXPECT_TRUE(LineTable(std::vector<unsigned char>(100, 'x')).At("inlined_kernel", 0).empty());
  EXPECT_TRUE(LineTable(std::vector<unsigned char>()).At("inlined_kernel", 0).empty());
}

// Each byte of the table in turn has all of its bits set, none, or only the one that says that a number goes on.
TEST(LineTable, ComesToAnEndWhateverIsDamaged) {
  const auto whole = Inlined();
  const ElfImage elf("a cubin", whole);
  const ElfSection* const lines = elf.Find(".debug_line");
  ASSERT_NE(lines, nullptr);
  const auto first = static_cast<std::size_t>(lines->data.data() - whole.data());
  for (std::size_t at = first; at < first + lines->data.size(); ++at)
    for (const unsigned char byte : {0xff, 0x00, 0x80}) {
      std::vector<unsigned char> damaged = whole;
      damaged[at] = byte;
      const LineTable table(damaged);
      for (int i = 0; i < 64; ++i) EXPECT_LE(table.At("inlined_kernel", i * kInstructionBytes).size(), whole.size());
    }
}

}  // namespace
}  // namespace culprit
