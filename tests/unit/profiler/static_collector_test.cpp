// SPDX-License-Identifier: Apache-2.0
#include "profiler/static_collector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "db/error.h"
#include "profiler/code/cubin.h"
#include "profiler/code/resource_report.h"
#include "profiler/code/static_attributes.h"

namespace culprit {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// nvcc 13.0 about a kernel with a stack frame, one with a device function that was not inlined, and an older report
// with bank 0.
constexpr char kReport[] = R"(ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'v1_6' for 'sm_90'
ptxas info    : Function properties for v1_6
    256 bytes stack frame, 12 bytes spill stores, 16 bytes spill loads
ptxas info    : Used 120 registers, used 1 barriers, 256 bytes cumulative stack size, 8192 bytes smem
ptxas info    : Compile time = 34.204 ms
ptxas info    : Compiling entry function 'outer' for 'sm_100a'
ptxas info    : Function properties for outer
    8 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Function properties for inner
    64 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads
ptxas info    : Used 32 registers, used 0 barriers, 72 bytes cumulative stack size
ptxas info    : Compiling entry function 'old' for 'sm_80'
ptxas info    : Function properties for old
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 18 registers, used 0 barriers, 400 bytes cmem[0], 8 bytes cmem[2]
)";

TEST(ResourceReport, ReadsEachKernelAndArchitecture) {
  const std::vector<BuildRecord> builds = ReadResourceReport(kReport);
  ASSERT_EQ(builds.size(), 3u);
  EXPECT_EQ(builds[0].kernel, "v1_6");
  EXPECT_EQ(builds[0].arch, "sm_90");
  EXPECT_EQ(FindAttribute(builds[0], "registers", "compiler"), 120.0);
  EXPECT_EQ(FindAttribute(builds[0], "stack_frame_bytes", "compiler"), 256.0);
  EXPECT_EQ(FindAttribute(builds[0], "spill_store_bytes", "compiler"), 12.0);
  EXPECT_EQ(FindAttribute(builds[0], "spill_load_bytes", "compiler"), 16.0);
  EXPECT_EQ(FindAttribute(builds[0], "static_shared_bytes", "compiler"), 8192.0);
}

TEST(ResourceReport, DoesNotMixInTheFrameOfADeviceFunction) {
  const BuildRecord outer = ReadResourceReport(kReport)[1];
  EXPECT_EQ(outer.arch, "sm_100");
  EXPECT_EQ(FindAttribute(outer, "stack_frame_bytes", "compiler"), 8.0);
  EXPECT_EQ(FindAttribute(outer, "spill_store_bytes", "compiler"), 0.0);
}

TEST(ResourceReport, LeavesConstantBankZeroOutWhenPtxasDoesNotCountIt) {
  EXPECT_FALSE(FindAttribute(ReadResourceReport(kReport)[0], "constant_bytes"));
  EXPECT_EQ(FindAttribute(ReadResourceReport(kReport)[2], "constant_bytes", "compiler"), 400.0);
}

TEST(ResourceReport, IsEmptyForOtherText) { EXPECT_TRUE(ReadResourceReport("warning #177-D: unused\n").empty()); }

TEST(ResourceReport, ReadsNamesOfAnyLength) {
  const std::string name(1 << 20, 'k');
  const std::vector<BuildRecord> builds = ReadResourceReport(
      "ptxas info    : Compiling entry function '" + name + "' for 'sm_90'\n" +
      "ptxas info    : Function properties for " + name + "\n" +
      "    8 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n" + "ptxas info    : Used 32 registers\n");
  ASSERT_EQ(builds.size(), 1u);
  EXPECT_EQ(builds[0].kernel, name);
  EXPECT_EQ(FindAttribute(builds[0], "stack_frame_bytes", "compiler"), 8.0);
  EXPECT_EQ(FindAttribute(builds[0], "registers", "compiler"), 32.0);
}

TEST(ResourceReport, KnowsNoNumberThatDoesNotFit) {
  const std::vector<BuildRecord> builds = ReadResourceReport(
      "ptxas info    : Compiling entry function 'k' for 'sm_90'\n"
      "ptxas info    : Used 18 registers, " +
      std::string(400, '9') + " bytes cmem[0]\n");
  ASSERT_EQ(builds.size(), 1u);
  EXPECT_FALSE(FindAttribute(builds[0], "constant_bytes"));
}

class KeptCubins : public ::testing::Test {
 protected:
  void SetUp() override {
    directory_ = fs::path(::testing::TempDir()) / ::testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(directory_);
    fs::create_directories(directory_);
  }
  void TearDown() override { fs::remove_all(directory_); }
  void Write(const std::string& name, const std::string& text) { std::ofstream(directory_ / name) << text; }
  fs::path directory_;
};

TEST_F(KeptCubins, RefusesAMissingDirectory) { EXPECT_THROW(CollectStatic({directory_ / "nothing"}), Error); }

TEST_F(KeptCubins, RefusesAFileThatIsNoCubin) {
  Write("k.cubin", "this is not an ELF file, and long enough to be one: " + std::string(100, '.'));
  EXPECT_THROW(CollectStatic({directory_}), Error);
}

TEST_F(KeptCubins, RefusesAnEmptyCubin) {
  Write("k.cubin", "");
  EXPECT_THROW(CollectStatic({directory_}), Error);
}

void ExpectRefused(const fs::path& directory, const std::string& sentence) {
  try {
    CollectStatic({directory});
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr(sentence));
  }
}

TEST_F(KeptCubins, RefusesADirectoryThatIsCalledACubin) {
  fs::create_directory(directory_ / "k.cubin");
  ExpectRefused(directory_, "k.cubin is not a file: remove it");
}

TEST_F(KeptCubins, RefusesADirectoryThatIsCalledTheReport) {
  fs::create_directory(directory_ / "report.txt");
  ExpectRefused(directory_, "report.txt is not a file: remove it");
}

TEST_F(KeptCubins, RefusesAnArchitectureThatNoGpuHas) {
  Write("report.txt", "ptxas info    : Compiling entry function 'k' for 'sm_12345678901234567'\n");
  ExpectRefused(directory_, "no GPU has the architecture sm_12345678901234567 of kernel k");
}

TEST_F(KeptCubins, RefusesTheElfFileOfAProgram) {
  fs::copy_file("/proc/self/exe", directory_ / "k.cubin");
  try {
    CollectStatic({directory_});
    FAIL() << "a host program passed for a cubin";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("not a cubin"));
  }
}

// The one cubin that the build of one_kernel.cu kept; nvcc names it differently for one architecture and for several.
std::vector<unsigned char> RealCubin() {
  for (const fs::directory_entry& entry : fs::directory_iterator(CULPRIT_KEPT_CUBINS)) {
    if (entry.path().extension() != ".cubin") continue;
    std::ifstream in(entry.path(), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  return {};
}

TEST(CollectStatic, ReadsAKernelOfOurs) {
  const std::vector<BuildRecord> builds = CollectStatic({CULPRIT_KEPT_CUBINS});
  ASSERT_EQ(builds.size(), 1u);
  EXPECT_EQ(builds[0].kernel, "one_kernel");
  EXPECT_EQ(builds[0].stage, "one_kernel");
  EXPECT_EQ(builds[0].arch, "sm_90");
  EXPECT_EQ(FindAttribute(builds[0], "static_shared_bytes", "cubin"), 128.0);
  EXPECT_EQ(FindAttribute(builds[0], "static_shared_bytes", "compiler"), 128.0);
  EXPECT_EQ(FindAttribute(builds[0], "max_threads", "cubin"), 64.0);  // its launch bounds
}

// Every prefix of a real cubin either throws or reads; none reads out of bounds (the asan preset watches).
TEST(Cubin, SurvivesBeingCutShort) {
  const std::vector<unsigned char> bytes = RealCubin();
  ASSERT_GT(bytes.size(), 1000u);
  EXPECT_EQ(ReadCubin("whole", bytes).size(), 1u);
  int refused = 0;
  for (std::size_t size = 0; size < bytes.size(); size += 97) {
    try {
      ReadCubin("cut", std::span(bytes).first(size));
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 0);
}

// No byte that is turned over makes the reader leave the file; most only change a value.
TEST(Cubin, SurvivesDamagedBytes) {
  std::vector<unsigned char> bytes = RealCubin();
  ASSERT_GT(bytes.size(), 1000u);
  int refused = 0, read = 0;
  for (unsigned char& byte : bytes) {
    byte = ~byte;
    try {
      ReadCubin("damaged", bytes);
      ++read;
    } catch (const Error&) {
      ++refused;
    }
    byte = ~byte;
  }
  EXPECT_GT(refused, 0);
  EXPECT_GT(read, 0);
}

TEST(StaticTableSource, KeepsStatusAndValue) {
  BuildRecord build{"v2", "sm_90", "v2", "00ff", {}};
  AddAttribute(build, "registers", "cubin", 128);
  AddAttribute(build, "constant_bytes", "compiler", std::nullopt);
  const std::string source = StaticTableSource({build});
  EXPECT_THAT(source, HasSubstr(R"({"v2", "sm_90", "v2", "00ff",)"));
  EXPECT_THAT(source, HasSubstr(R"({"registers", "cubin", 128, ReadingStatus::kOk})"));
  EXPECT_THAT(source, HasSubstr(R"({"constant_bytes", "compiler", std::nullopt, ReadingStatus::kUnsupported})"));
}

TEST(StaticTableSource, KeepsAnySymbolWithinItsLiteral) {
  const BuildRecord build{"k",
                          "sm_90",
                          "a\"};\\\n\x1b\xff"
                          "0",
                          "",
                          {}};
  EXPECT_THAT(StaticTableSource({build}), HasSubstr(R"({"k", "sm_90", "a\"};\\\012\033\3770", "",)"));
}

TEST(FindAttribute, PrefersTheRunningSystemThenTheCode) {
  BuildRecord build{"x", "sm_90", "x", "", {}};
  AddAttribute(build, "registers", "compiler", 3);
  EXPECT_EQ(FindAttribute(build, "registers"), 3.0);
  AddAttribute(build, "registers", "cubin", 2);
  EXPECT_EQ(FindAttribute(build, "registers"), 2.0);
  AddAttribute(build, "registers", "runtime", 1);
  EXPECT_EQ(FindAttribute(build, "registers"), 1.0);
  EXPECT_FALSE(FindAttribute(build, "spill_load_bytes"));
}

}  // namespace
}  // namespace culprit
