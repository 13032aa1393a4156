// SPDX-License-Identifier: Apache-2.0
// What is asked of modules that a process has loaded, on a cubin that the build kept.
#include "profiler/code_modules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "profiler/code/elf_image.h"
#include "profiler/source_lines.h"
#include "tests/unit/profiler/kept_cubin.h"

namespace culprit {
namespace {

using testing::KeptCubin;

constexpr const char* kFunction = "one_kernel";

// The same module with another first instruction (NOP) in its kernel.
std::vector<unsigned char> Changed(std::vector<unsigned char> cubin) {
  const ElfImage elf("a module", cubin);
  const ElfSection* const code = elf.Find(std::string(".text.") + kFunction);
  const auto at = cubin.begin() + (code->data.data() - cubin.data());
  at[0] = 0x18;
  at[1] = 0x79;
  return cubin;
}

TEST(CodeModules, KnowWhatOneModuleHas) {
  CodeModules modules;
  EXPECT_EQ(modules.Opcode(kFunction, 0), "");
  EXPECT_FALSE(modules.Code(kFunction));
  modules.Keep(std::vector<unsigned char>(100, 'x'));  // no cubin
  modules.Keep(KeptCubin(CULPRIT_KEPT_CUBINS));
  EXPECT_NE(modules.Opcode(kFunction, 0), "");
  EXPECT_EQ(modules.Opcode(kFunction, -16), "");
  EXPECT_EQ(modules.Opcode(kFunction, std::int64_t{1} << 40), "");
  EXPECT_EQ(modules.Opcode("another", 0), "");
  ASSERT_TRUE(modules.Line(kFunction, 0));
  EXPECT_EQ(modules.Line(kFunction, 0)->file, "tests/unit/profiler/one_kernel.cu");
  ASSERT_TRUE(modules.Code(kFunction));
  EXPECT_FALSE(modules.Code(kFunction)->instructions.empty());
}

TEST(CodeModules, SayNothingWhereTwoDisagree) {
  const std::vector<unsigned char> cubin = KeptCubin(CULPRIT_KEPT_CUBINS);
  CodeModules modules;
  modules.Keep(cubin);
  modules.Keep(cubin);
  EXPECT_TRUE(modules.Code(kFunction)) << "loaded twice it is the same code";
  const std::string opcode(modules.Opcode(kFunction, 0));
  ASSERT_NE(opcode, "");
  ASSERT_NE(opcode, "NOP");
  modules.Keep(Changed(cubin));  // behind what was asked already
  EXPECT_EQ(modules.Opcode(kFunction, 0), "");
  EXPECT_NE(modules.Opcode(kFunction, 16), "");
  EXPECT_TRUE(modules.Line(kFunction, 0));
  EXPECT_FALSE(modules.Code(kFunction)) << "whose samples they are nobody knows";
}

TEST(CodeModules, AskElsewhereForLinesThatTheTableLacks) {
  CodeModules modules;
  modules.Keep(KeptCubin(CULPRIT_KEPT_CUBINS));
  const SourceFrame other{"other.cu", 7};
  const auto otherwise = [&](const CodeModules::Module&) { return std::optional(other); };
  EXPECT_NE(modules.Line(kFunction, 0, otherwise), other);
  EXPECT_EQ(modules.Line(kFunction, std::int64_t{1} << 30, otherwise), other);
}

TEST(CodeModules, KeepNoMoreThanTheyMay) {
  const std::vector<unsigned char> cubin = KeptCubin(CULPRIT_KEPT_CUBINS);
  const auto count = [](CodeModules& modules) {
    std::size_t n = 0;
    modules.ForEach([&](std::size_t number, CodeModules::Module&) {
      EXPECT_EQ(number, n++);
      return true;
    });
    return n;
  };
  CodeModules modules(2 * cubin.size());
  for (int i = 0; i < 3; ++i) modules.Keep(cubin);
  EXPECT_EQ(count(modules), 2u);
  // Where images go there is room again.
  EXPECT_TRUE(modules.Code(kFunction));
  modules.ForEach([](std::size_t number, CodeModules::Module& module) {
    module.Lines();
    return number != 0;
  });
  EXPECT_TRUE(modules.Code(kFunction)) << "of the second";
  modules.ForEach([](std::size_t, CodeModules::Module&) { return false; });
  EXPECT_FALSE(modules.Code(kFunction));
  EXPECT_EQ(modules.Opcode(kFunction, 0), "");
  modules.ForEach([](std::size_t number, CodeModules::Module& module) {
    if (number == 0) {
      EXPECT_FALSE(module.Lines().At(kFunction, 0).empty()) << "lines were read before";
    }
    return true;
  });
  modules.Keep(cubin);
  EXPECT_TRUE(modules.Code(kFunction));
}

}  // namespace
}  // namespace culprit
