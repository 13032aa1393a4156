// SPDX-License-Identifier: Apache-2.0
// Databases for the tests of the command. Every number in them is invented; none was measured.
#pragma once
#include <filesystem>

namespace culprit::testing {

// A new folder. The destructor removes it with its content.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::filesystem::path operator/(const char* name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

// Run "static" on a machine without a GPU. v1_7 and v1_6 are built for sm_80 and sm_90. Only v1_6 on sm_90 has a stack
// frame.
void WriteStaticDatabase(const std::filesystem::path& file);

// The same run, and run "invented" with a GPU. At 2048 it has cublas_sgemm, v1_7, v1_6, a failed stage and a refused
// stage. At 1024 it has v1_7, with denied counters.
void WriteInventedDatabase(const std::filesystem::path& file);

// Run "invented" with three stages. half_tile states its stores and matrix loads of a tile with rows of 32 halves; its
// launch at 2048 has counts of single instructions, and its launch at 1024 has none. counted_alone has these counts but
// states no access. silent has neither.
void WriteBanksDatabase(const std::filesystem::path& file);

}  // namespace culprit::testing
