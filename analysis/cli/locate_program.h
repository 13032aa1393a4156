// SPDX-License-Identifier: Apache-2.0
// Finds runs of programs (`culprit record`), and a kernel in two of them, from the words of a command line.
#pragma once
#include <string>
#include <vector>

#include "analysis/cli/locate.h"
#include "db/database.h"

namespace culprit {

// Executions of a program on each side, at least one; no execution is on both sides.
struct ProgramPair {
  std::vector<RunSummary> base, candidate;
};

// Each word is a run's id, UUID prefix or label, or else part of a run's command line; the newest match is used. A
// label stands for all its executions (name_runs.h). If both words are empty, these are used:
//   1. the newest two runs of one command (launch/command.h) with a common kernel, preferably with the same label
//   2. else the newest run with a label, and the newest earlier run with a label and a common kernel
// If there are no such runs, or they are not runs of programs, throws culprit::Error with advice.
ProgramPair FindPrograms(const Database& database, const std::string& base, const std::string& candidate);

// The matching launches of a kernel in both runs. If several match, the launch whose time changed most. If none match,
// each side's launch with the most time. `kernel`: see stage_name.h; it is looked up on each side. `selector` filters
// by shape ("BASE,CAND" names two), range and number.
KernelPair FindProgramKernel(const Database& database, const ProgramPair& runs, const std::string& kernel,
                             const Selector& selector);

}  // namespace culprit
