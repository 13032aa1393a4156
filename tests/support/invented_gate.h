// SPDX-License-Identifier: Apache-2.0
// Pairs of runs for tests of `culprit check`, and a chain for `culprit study`. They are invented, unless the name says
// "Recorded".
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "db/database.h"

namespace culprit::testing {

// Sets 16 samples within 0.1 % of `us`, two from each of 8 processes, which are enough for a regression.
void SetTimes(KernelRecord& kernel, double us, double clock_mhz = 1980);

// All samples come from one process, which can make a launch suspect but no regression.
void InOneProcess(KernelRecord& kernel);

// The launches of the base run at 2048: InventedV17 (705 us), InventedV16 (1287 us) and InventedCublas (340 us). All
// except the last are verified. Each has code of its own.
std::vector<KernelRecord> GateKernels();

// Runs "main" and "change". They are alike until a test edits one of them.
struct GateRuns {
  std::vector<KernelRecord> base = GateKernels(), candidate = GateKernels();
  RunRecord base_run, candidate_run;

  GateRuns();
  // The candidate's launch of a stage. Throws std::out_of_range.
  KernelRecord& At(const std::string& stage);
  void Write(const std::filesystem::path& file) const;
};

// Runs "main" and "change" with one launch for every judgement: v1_7 and v1_6 are exchanged, `clocked` ran at a lower
// clock, `gone` is missing, `new` was added, `creeping` is slower within 2 %.
void WriteGateDatabase(const std::filesystem::path& file);

// "main" is the recorded H200 run, only at 4096. "change" is the same run as if someone had exchanged the loops of
// v1_7: v1_7 has the data of v1_6, and everything else is unchanged.
void WriteRecordedGate(const std::filesystem::path& file);

// Run "invented" with family v_study at 2048:
//   v1_8, v1_7, v1_6   each is changed from the previous one by one factor
//   v1_6_1             takes as long as v1_6
//   uncounted          slower than v1_7, by two factors; its counters were denied
//   picky              changed from v1_6; refused the shape
// Only v1_7 and v1_6 have the times of invented_study.h.
void WriteStudyDatabase(const std::filesystem::path& file);

// The recordings of tests/recorded, without those in its folders.
void WriteRecorded(const std::filesystem::path& file);

}  // namespace culprit::testing
