// SPDX-License-Identifier: Apache-2.0
// Cubins that no compiler writes: of a small file the readers make little, however its parts lie on top of each other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include "db/error.h"
#include "profiler/code/code_of.h"
#include "profiler/code/cubin.h"
#include "profiler/code/line_table.h"
#include "tests/support/cubin_builder.h"

namespace culprit {
namespace {

using testing::ByteList;
using testing::CubinBuilder;
using ::testing::HasSubstr;
using ::testing::SizeIs;

std::string ComplaintOf(const ByteList& cubin) {
  try {
    ReadCubin("a.cubin", cubin);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// Elements of a table in a file need not lie where memory wants them.
template <class Element, class Change>
Element Changed(ByteList& cubin, std::uint64_t table, std::uint64_t number, Change change) {
  unsigned char* const at = cubin.data() + table + number * sizeof(Element);
  Element element;
  std::memcpy(&element, at, sizeof element);
  change(element);
  std::memcpy(at, &element, sizeof element);
  return element;
}

template <class Change>
Elf64_Shdr ChangedSection(ByteList& cubin, std::uint64_t number, Change change) {
  Elf64_Ehdr header;
  std::memcpy(&header, cubin.data(), sizeof header);
  return Changed<Elf64_Shdr>(cubin, header.e_shoff, number, change);
}

void AppendUnsigned(ByteList& to, std::uint64_t value) {
  for (; value > 0x7f; value >>= 7) to.push_back(static_cast<unsigned char>(value | 0x80));
  to.push_back(static_cast<unsigned char>(value));
}

// A unit of DWARF 2: a file "k.cu" of the folder "/src" and what `more_files` has, then the program.
ByteList Unit(const ByteList& program, const ByteList& more_files = {}, const std::string& folder = "/src") {
  ByteList header = {1, 1, 0xfb, 14, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1};
  header.insert(header.end(), folder.begin(), folder.end());
  for (const unsigned char byte : {'\0', '\0', 'k', '.', 'c', 'u', '\0', '\1', '\0', '\7'}) header.push_back(byte);
  header.insert(header.end(), more_files.begin(), more_files.end());
  header.push_back(0);
  ByteList unit;
  testing::AppendBytes(unit, static_cast<std::uint32_t>(6 + header.size() + program.size()));
  testing::AppendBytes(unit, std::uint16_t{2});
  testing::AppendBytes(unit, static_cast<std::uint32_t>(header.size()));
  unit.insert(unit.end(), header.begin(), header.end());
  unit.insert(unit.end(), program.begin(), program.end());
  return unit;
}

const ByteList kSetAddress = {0, 9, 2, 0, 0, 0, 0, 0, 0, 0, 0};
const ByteList kEnd = {2, 16, 0, 1, 1};  // 16 bytes on
constexpr unsigned char kCopy = 1;

ByteList WithLines(const ByteList& lines) {
  CubinBuilder cubin;
  cubin.Lines(lines, cubin.Kernel("k", ByteList(16)));
  return cubin.Bytes();
}

ByteList operator+(ByteList a, const ByteList& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

TEST(HostileCubin, IsReadWhereItIsAsCompilersWriteIt) {
  const ByteList cubin = WithLines(Unit(kSetAddress + ByteList{kCopy} + kEnd));
  const std::vector<BuildRecord> builds = ReadCubin("a.cubin", cubin);
  ASSERT_THAT(builds, SizeIs(1));
  EXPECT_EQ(builds[0].kernel, "k");
  EXPECT_EQ(builds[0].arch, "sm_90");
  EXPECT_THAT(CodeOf(cubin, "k").value().instructions, SizeIs(1));
  const std::vector<SourceFrame> lines = LineTable(cubin).At("k", 0);
  ASSERT_THAT(lines, SizeIs(1));
  EXPECT_EQ(lines[0], (SourceFrame{"/src/k.cu", 1}));
  EXPECT_EQ(LineTable(cubin).SizeOf("/src/k.cu"), 7u);
}

// As nvcc made them of inlined_kernel.cu.
TEST(LineTableOfCubin, HasALineForEachInstruction) {
  for (const char* name : {"inlined_sm_80", "inlined_sm_90"}) {
    SCOPED_TRACE(name);
    std::ifstream file(std::string(CULPRIT_CUBINS) + "/" + name, std::ios::binary);
    const ByteList cubin{std::istreambuf_iterator<char>(file), {}};
    const LineTable table(cubin);
    const std::optional<MachineCode> code = CodeOf(cubin, "inlined_kernel");
    ASSERT_TRUE(code);
    for (const MachineInstruction& i : code->instructions)
      EXPECT_FALSE(table.At("inlined_kernel", i.pc_offset).empty()) << i.pc_offset;
  }
}

// As nvcc writes it for GPUs before sm_90: what is added to the symbol stands in the table itself.
TEST(HostileCubin, HasLinesWhereItsRelocationsHaveNoAddends) {
  CubinBuilder builder;
  const std::uint32_t symbol = builder.Kernel("k", ByteList(48));
  const ByteList at_16 = {0, 9, 2, 16, 0, 0, 0, 0, 0, 0, 0};
  builder.Lines(Unit(at_16 + ByteList{kCopy} + kEnd), symbol, false);
  const ByteList cubin = builder.Bytes();
  const LineTable table(cubin);
  EXPECT_THAT(table.At("k", 0), SizeIs(0));
  EXPECT_THAT(table.At("k", 16), SizeIs(1));
  EXPECT_THAT(table.At("k", 32), SizeIs(0));
}

// Each of them would be hashed, and its attributes read: the square of the file's size.
TEST(HostileCubin, NamesAKernelOnceHoweverManySymbolsItHas) {
  CubinBuilder cubin;
  cubin.Kernel("k", ByteList(1600));
  for (int i = 0; i < 100; ++i) cubin.Symbol("k", 1);
  EXPECT_THAT(ReadCubin("a.cubin", cubin.Bytes()), SizeIs(1));
}

TEST(HostileCubin, IsRefusedWhereItsSectionsLieOnTopOfEachOther) {
  CubinBuilder builder;
  for (int i = 0; i < 50; ++i) builder.Kernel("k" + std::to_string(i), ByteList(16));
  ByteList cubin = builder.Bytes();
  EXPECT_EQ(ComplaintOf(cubin), "");
  for (int i = 1; i <= 50; ++i)
    ChangedSection(cubin, i, [&](Elf64_Shdr& section) {
      section.sh_offset = 0;
      section.sh_size = cubin.size();
    });
  EXPECT_THAT(ComplaintOf(cubin), HasSubstr("a.cubin is not a whole 64-bit ELF file"));
}

// All of them in one long text, each from one letter further on.
TEST(HostileCubin, IsRefusedWhereItsNamesLieOnTopOfEachOther) {
  CubinBuilder builder;
  builder.Kernel("k", ByteList(16));
  for (int i = 0; i < 1000; ++i) builder.Symbol(i == 0 ? std::string(100'000, 'x') : std::string(), 1);
  ByteList cubin = builder.Bytes();
  EXPECT_EQ(ComplaintOf(cubin), "");
  const auto as_it_is = [](Elf64_Shdr&) {};
  const Elf64_Shdr symbols = ChangedSection(cubin, 2, as_it_is);  // behind the empty one and .text.k
  for (std::uint32_t i = 0; i < 1000; ++i)
    Changed<Elf64_Sym>(cubin, symbols.sh_offset, 2 + i, [&](Elf64_Sym& symbol) {
      symbol.st_name = 3 + i;  // behind "", "k"
    });
  EXPECT_THAT(ComplaintOf(cubin), HasSubstr("is not a whole 64-bit ELF file"));
}

// Each row says that the one before it calls it.
TEST(HostileLineTable, LeavesOutWhatIsInlinedWithoutAnEnd) {
  ByteList program = kSetAddress;
  for (unsigned row = 0; row < 2000; ++row) {
    ByteList caller;
    AppendUnsigned(caller, row);
    program.push_back(0);
    AppendUnsigned(program, 2 + caller.size());
    program.push_back(0x90);
    program = program + caller + ByteList{0, kCopy};
  }
  const std::vector<SourceFrame> lines = LineTable(WithLines(Unit(program + kEnd))).At("k", 0);
  EXPECT_THAT(lines, SizeIs(256));
}

// Of few bytes each, in a folder with a long name.
TEST(HostileLineTable, HasNoLinesWhereItsPathsHaveNoEnd) {
  const ByteList program = kSetAddress + ByteList{kCopy} + kEnd;
  ByteList files;
  for (int i = 0; i < 40; ++i) files = files + ByteList{'h', 0, 1, 0, 0};
  const std::string folder(500'000, 'x');
  EXPECT_THAT(LineTable(WithLines(Unit(program, {}, folder))).At("k", 0), SizeIs(1));
  EXPECT_THAT(LineTable(WithLines(Unit(program, files, folder))).At("k", 0), SizeIs(0));
}

TEST(HostileLineTable, LooksAtFewOfTheSequencesOfOneSection) {
  const ByteList without_file = kSetAddress + ByteList{4, 9, kCopy} + kEnd;
  ByteList program;
  for (int i = 0; i < 1000; ++i) program = program + without_file;
  program = program + kSetAddress + ByteList{kCopy} + kEnd;
  EXPECT_THAT(LineTable(WithLines(Unit(program))).At("k", 0), SizeIs(0));
}

}  // namespace
}  // namespace culprit
