// SPDX-License-Identifier: Apache-2.0
// The machine code of cubins that ptxas of CUDA 13.0 made of kernels of ours.
#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profiler/code/code_of.h"
#include "profiler/code/elf_image.h"
#include "profiler/code/instruction.h"

namespace culprit {
namespace {

std::vector<unsigned char> Cubin(const std::string& name) {
  std::ifstream file(std::string(CULPRIT_CUBINS) + "/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> Opcodes(const MachineCode& code) {
  std::vector<std::string> opcodes;
  for (const MachineInstruction& instruction : code.instructions) opcodes.push_back(instruction.opcode);
  return opcodes;
}

TEST(CodeOf, ReadsEveryInstructionOfAFunction) {
  for (const auto& [name, function] : {std::pair{"one_sm_80", "one"}, {"one_sm_120", "one"}, {"two_sm_90", "shared"}}) {
    SCOPED_TRACE(name);
    const std::vector<unsigned char> cubin = Cubin(name);
    const std::optional<MachineCode> code = CodeOf(cubin, function);
    ASSERT_TRUE(code);
    const Bytes text = ElfImage(name, cubin).Find(".text." + code->function)->data;
    EXPECT_EQ(code->digest, CodeDigest(text));
    ASSERT_EQ(code->instructions.size(), text.size() / 16);
    EXPECT_EQ(code->instructions.back().pc_offset, static_cast<std::int64_t>(text.size()) - 16);
    EXPECT_THAT(Opcodes(*code), testing::Each(testing::Not(testing::IsEmpty())));
    EXPECT_THAT(Opcodes(*code), testing::IsSupersetOf({"EXIT", "BRA", "NOP"}));
  }
}

TEST(CodeOf, TellsTheArchitectureAsTheInstructionsDo) {
  EXPECT_EQ(ArchitectureOf(CodeOf(Cubin("one_sm_80"), "one")->instructions), 80);
  EXPECT_EQ(ArchitectureOf(CodeOf(Cubin("two_sm_90"), "shared")->instructions), 90);
  EXPECT_EQ(ArchitectureOf(CodeOf(Cubin("one_sm_120"), "one")->instructions), 100);
}

// 0x036 is VIADD on sm_90 and not known elsewhere: its name says which architecture the flags told.
TEST(CodeOf, DecodesByTheArchitectureInTheFlagsOfEitherAbi) {
  std::vector<unsigned char> cubin = Cubin("two_sm_90");
  const Bytes text = ElfImage("", cubin).Find(".text.shared")->data;
  const std::uint64_t add = 0x000004201ed47836;
  std::memcpy(cubin.data() + (text.data() - cubin.data()), &add, sizeof add);
  const auto name = [&](unsigned char abi, std::uint32_t flags) {
    cubin[EI_ABIVERSION] = abi;
    std::memcpy(cubin.data() + offsetof(Elf64_Ehdr, e_flags), &flags, sizeof flags);
    return CodeOf(cubin, "shared")->instructions.front().opcode;
  };
  EXPECT_EQ(name(8, 0x06005a04), "VIADD");
  EXPECT_EQ(name(7, 0x005a055a), "VIADD");
  EXPECT_EQ(name(8, 0x06005004), "");
  EXPECT_EQ(name(7, 0x00500550), "");
  EXPECT_EQ(name(9, 0x06005a04), "") << "a layout that we do not know";
}

TEST(CodeOf, IsNothingWithoutTheFunctionOrTheCubin) {
  EXPECT_FALSE(CodeOf(Cubin("one_sm_80"), "two"));
  EXPECT_FALSE(CodeOf({}, "one"));
  std::vector<unsigned char> cut = Cubin("one_sm_80");
  cut.resize(cut.size() / 2);
  EXPECT_FALSE(CodeOf(cut, "one"));
}

}  // namespace
}  // namespace culprit
