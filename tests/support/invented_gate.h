// SPDX-License-Identifier: Apache-2.0
// Pairs of runs for tests of `culprit check`, and a chain for `culprit study`. Invented, unless a name says that it
// comes from the recording.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "db/database.h"

namespace culprit::testing {

// Samples that a verdict can be reached from: 16 of them, within 0.1 % of `us`.
void SetTimes(KernelRecord& kernel, double us, double clock_mhz = 1980);

// What the base run has: InventedV17 (705 us), InventedV16 (1287 us) and InventedCublas (340 us), at 2048, each
// verified but the last, each with code of its own.
std::vector<KernelRecord> GateKernels();

// Runs "main" and "change", alike until a test edits one of them.
struct GateRuns {
  std::vector<KernelRecord> base = GateKernels(), candidate = GateKernels();
  RunRecord base_run, candidate_run;

  GateRuns();
  // Of the candidate; throws std::out_of_range.
  KernelRecord& At(const std::string& stage);
  void Write(const std::filesystem::path& file) const;
};

// Runs "main" and "change" with one launch of every judgement: v1_7 became what v1_6 was and the other way round,
// `clocked` ran at a lower clock, `gone` is missing, `new` came, `creeping` is slower within 2 %.
void WriteGateDatabase(const std::filesystem::path& file);

// The recorded H100 run as "main", and as "change" what it would be if someone exchanged the loops of v1_7: what the
// recording has of v1_6 under the name v1_7, everything else as it was. At 4096 alone.
void WriteRecordedGate(const std::filesystem::path& file);

// Run "invented" with family v_study at 2048: v1_8, changed to v1_7, that to v1_6, each by one factor; v1_6_1, which
// takes as long as v1_6; uncounted, slower than v1_7 by two factors, whose counters were denied; picky, changed from
// v1_6, which refused the shape. The stages and times alone of v1_7 and v1_6 are those of invented_study.h.
void WriteStudyDatabase(const std::filesystem::path& file);

// Every recording that ships.
void WriteRecorded(const std::filesystem::path& file);

}  // namespace culprit::testing
