// SPDX-License-Identifier: Apache-2.0
// From the words on a command line to runs of programs (`culprit record`), and to one kernel of two of them.
#pragma once
#include <string>
#include <vector>

#include "analysis/cli/locate.h"
#include "db/database.h"

namespace culprit {

// Executions of a program on either side, at least one each; none on both sides.
struct ProgramPair {
  std::vector<RunSummary> base, candidate;
};

// A word names a run by id, UUID prefix or label, else by a part of its command line, of which the newest counts. Of a
// label all executions (name_runs.h). Both words empty: the newest two of one command (program/command.h) that have a
// kernel in common, of one label before others; else the newest that has a label, and the newest before it with one and
// such a kernel. Throws culprit::Error with what to do where there are none, or
// they are no programs'.
ProgramPair FindPrograms(const Database& database, const std::string& base, const std::string& candidate);

// The launches of a kernel in both runs that belong together: of several those whose time changed most; where none do,
// of each side the one with most time. `kernel`: as in stage_name.h, on each side by itself. `selector` narrows them by
// shape ("BASE,CAND" names two), range and number.
KernelPair FindProgramKernel(const Database& database, const ProgramPair& runs, const std::string& kernel,
                             const Selector& selector);

}  // namespace culprit
