// SPDX-License-Identifier: Apache-2.0
// Databases for the tests of the command. Every number in them is invented; none was measured.
#pragma once
#include <filesystem>

namespace culprit::testing {

// A folder of its own, removed with everything in it.
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

// Run "static": a machine without a GPU, v1_7 and v1_6 built for sm_80 and sm_90 (the stack frame of v1_6 on sm_90
// alone).
void WriteStaticDatabase(const std::filesystem::path& file);

// The same and run "invented", with a GPU: at 2048 cublas_sgemm, v1_7, v1_6, one stage that failed and one that
// refused; at 1024 v1_7 with its counters denied.
void WriteInventedDatabase(const std::filesystem::path& file);

// Run "invented" with one stage, half_tile: its stores and matrix loads of a tile of rows of 32 halves, and counts of
// single instructions of its launch at 2048; at 1024 nothing was counted. Stage counted_alone has the counts and states
// no access, silent has neither.
void WriteBanksDatabase(const std::filesystem::path& file);

}  // namespace culprit::testing
