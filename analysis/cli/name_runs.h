// SPDX-License-Identifier: Apache-2.0
// From a word on a command line to the runs that it names, for commands that hold one run against another.
#pragma once
#include <string>
#include <vector>

#include "db/database.h"

namespace culprit {

// Whether two runs are executions of one side: of a program, with one label, one command (the program's folder does
// not count) and a kernel of one name.
bool AreOneSide(const Database& database, const RunSummary& a, const RunSummary& b);

// A label of several such sides means none of them; LABEL:WORDS means those whose command line is WORDS, else holds
// them.
//
// What `name` means where it is a label of programs, or LABEL:WORDS: complete ones where there are some. Empty: it is
// neither. Throws culprit::Error where that is several commands, with how to choose.
std::vector<RunSummary> ExecutionsNamed(const Database& database, const char* option, const std::string& name);

// The same as the UUID of the newest of them, where `name` is LABEL:WORDS; else `name` itself, for what takes one run.
std::string NameOfOneRun(const Database& database, const char* option, const std::string& name);

// One run; of a program all executions of its label and command. `option` is for messages. Throws culprit::Error with
// what there is instead.
std::vector<RunSummary> FindRuns(const Database& database, const char* option, const std::string& name);

// A kernel of both: of one name, or renamed (program/match.h). True also for two runs without kernels.
bool HaveCommonKernel(const Database& database, const RunSummary& base, const RunSummary& candidate);

// Throws culprit::Error where two programs have no kernel in common, whatever their commands are: what is called the
// difference of two programs that do other work is none. `asked`: by --different-programs.
void RequireOneProgram(const Database& database, const RunSummary& base, const RunSummary& candidate, bool asked);
inline constexpr const char* kDifferentProgramsHelp = "also two programs that have no kernel in common";

// As FindRuns; "newest", where no run is called so, is the newest complete one.
std::vector<RunSummary> FindCandidate(const Database& database, const std::string& name);

// The same for what the candidate is held against. Where no run is called so,
//   newest       the newest complete one that began before the candidate, of the same program or of a benchmark as it
//                is one, on a GPU of the same name
//   branch:NAME  of the newest commit that NAME and HEAD of the git repository in the working directory have in common
//                and for which there is a complete run: built from it without local changes, or labelled with its hash
//                or 7 or more characters of it
std::vector<RunSummary> FindBase(const Database& database, const std::string& name,
                                 const std::vector<RunSummary>& candidate);

}  // namespace culprit
