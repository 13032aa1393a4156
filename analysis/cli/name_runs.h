// SPDX-License-Identifier: Apache-2.0
// Finds the runs that a word names, for commands that compare runs.
#pragma once
#include <string>
#include <vector>

#include "db/database.h"

namespace culprit {

// Whether two runs are executions of one side: programs with the same label, the same command (ignoring the program's
// folder) and a kernel of the same name.
bool AreOneSide(const Database& database, const RunSummary& a, const RunSummary& b);

// The executions that `name` stands for, if it is a label of programs or LABEL:WORDS. Only complete ones, if there are
// any. A label may have executions of several commands. LABEL:WORDS selects the command line that equals WORDS, or else
// the one that contains WORDS. Empty: `name` is neither. If it matches several commands, throws culprit::Error that
// says how to choose.
std::vector<RunSummary> ExecutionsNamed(const Database& database, const char* option, const std::string& name);

// For functions that take one run: if `name` is LABEL:WORDS, the UUID of its newest execution; else `name` itself.
std::string NameOfOneRun(const Database& database, const char* option, const std::string& name);

// One run or, for a program, all executions with its label and command. `option` is for messages. If there is no such
// run, throws culprit::Error that lists what exists.
std::vector<RunSummary> FindRuns(const Database& database, const char* option, const std::string& name);

// Whether both have a common kernel, perhaps renamed (judge/program/match.h). True for two runs without kernels.
bool HaveCommonKernel(const Database& database, const RunSummary& base, const RunSummary& candidate);

// Throws culprit::Error when two programs have no common kernel, because their difference would mean nothing. Their
// commands do not matter. `asked`: --different-programs was given, so nothing is thrown.
void RequireOneProgram(const Database& database, const RunSummary& base, const RunSummary& candidate, bool asked);
inline constexpr const char* kDifferentProgramsHelp = "also two programs that have no kernel in common";

// Like FindRuns, but "newest" stands for the newest complete run, unless a run has that name.
std::vector<RunSummary> FindCandidate(const Database& database, const std::string& name);

// Like FindRuns, for the base of a comparison. Also accepts these names, unless a run has such a name:
//   newest       the newest complete run before the candidate, of the same program (or of a benchmark if the candidate
//                is one), on the same GPU or, if its UUID is not known, on one of the same model
//   branch:NAME  a complete run of a commit that is in both NAME and HEAD of the git repository in the working
//                directory. The newest commit with such a run is used. The run was built from the commit without local
//                changes, or is labelled with 7 or more characters of its hash
std::vector<RunSummary> FindBase(const Database& database, const std::string& name,
                                 const std::vector<RunSummary>& candidate);

}  // namespace culprit
