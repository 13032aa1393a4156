// SPDX-License-Identifier: Apache-2.0
// The opcode table on what ptxas makes of opcode_kernels.cu for each architecture.
#include "profiler/code/sass_opcode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "profiler/code/elf_image.h"

namespace culprit {
namespace {

namespace fs = std::filesystem;

using Image = std::vector<unsigned char>;

std::map<std::string, Image> Cubins() {
  std::map<std::string, Image> cubins;
  for (const auto& entry : fs::directory_iterator(CULPRIT_KEPT_CUBINS))
    if (entry.path().extension() == ".cubin") {
      std::ifstream file(entry.path(), std::ios::binary);
      cubins[entry.path().filename().string()] = Image{std::istreambuf_iterator<char>(file), {}};
    }
  return cubins;
}

Bytes CodeOf(const Image& cubin, const std::string& function) {
  return ElfImage(function, cubin).Find(".text." + function)->data;
}

std::map<std::string, int> CountedIn(const Image& cubin, const std::string& function) {
  std::map<std::string, int> counts;
  const Bytes code = CodeOf(cubin, function);
  for (std::size_t pc = 0; pc < code.size(); pc += 16) ++counts[std::string(SassOpcodeAt(code, pc))];
  return counts;
}

TEST(SassOpcode, CountsTheInstructionsThatAKernelAskedForOnEveryArchitecture) {
  const auto cubins = Cubins();
  ASSERT_EQ(cubins.size(), 6u) << CULPRIT_KEPT_CUBINS;
  for (const auto& [name, cubin] : cubins) {
    SCOPED_TRACE(name);
    EXPECT_EQ(CountedIn(cubin, "five_barriers")["BAR"], 5);
    EXPECT_EQ(CountedIn(cubin, "five_barriers")["LDS"], 0);

    auto constants = CountedIn(cubin, "constants_without_barriers");
    EXPECT_GE(constants["LDC"], 1);
    EXPECT_EQ(constants["BAR"], 0);

    auto memory = CountedIn(cubin, "memory");
    EXPECT_EQ(memory["LDG"], 2);
    EXPECT_EQ(memory["STG"], 3);
    EXPECT_EQ(memory["STS"], 3);
    EXPECT_EQ(memory["LDS"], 1);
    EXPECT_EQ(memory["LDSM"], 1);
    EXPECT_EQ(memory["ATOMG"], 1);
    EXPECT_EQ(memory["BAR"], 0);

    auto arithmetic = CountedIn(cubin, "arithmetic");
    EXPECT_EQ(arithmetic["FFMA"], 1);
    EXPECT_EQ(arithmetic["MUFU"], 1);
    EXPECT_EQ(arithmetic["SHFL"], 1);
    EXPECT_EQ(arithmetic["LDG"], 3);
    EXPECT_GE(arithmetic["EXIT"], 1);
  }
}

TEST(SassOpcode, DoesNotDependOnOperandsOrPredicates) {
  EXPECT_EQ(SassOpcode(0x0000000000007b1d), "BAR");  // BAR.SYNC 0x0
  EXPECT_EQ(SassOpcode(0x0000000000001b1d), "BAR");  // @P1
  EXPECT_EQ(SassOpcode(0x000000040000751d), "BAR");  // its name in a register
  EXPECT_EQ(SassOpcode(0x000000040500731d), "BAR");  // name and number of threads in registers
  EXPECT_EQ(SassOpcode(0x0000000203047223), "FFMA");
  EXPECT_EQ(SassOpcode(0x4000000003047823), "FFMA");  // an immediate
}

TEST(SassOpcode, IsEmptyWhereTheTableHasNoEntry) {
  EXPECT_EQ(SassOpcode(0x00000000000079c7), "") << "arrives at or waits for a cluster's barrier, by the form";
  EXPECT_EQ(SassOpcode(0x000000ff0200798e), "") << "RED or REDG, by the architecture";
  EXPECT_EQ(SassOpcode(0), "");
}

TEST(SassOpcode, IsEmptyWhereThereIsNoInstruction) {
  const Image cubin = Cubins().begin()->second;
  const Bytes code = CodeOf(cubin, "memory");
  const auto bytes = static_cast<std::int64_t>(code.size());
  EXPECT_NE(SassOpcodeAt(code, bytes - 16), "");
  EXPECT_EQ(SassOpcodeAt(code, bytes), "");
  EXPECT_EQ(SassOpcodeAt(code, -16), "");
  EXPECT_EQ(SassOpcodeAt({}, 0), "");
}

}  // namespace
}  // namespace culprit
