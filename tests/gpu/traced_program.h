// SPDX-License-Identifier: Apache-2.0
// Runs one of the programs of programs/ with and without libculprit_inject.so in it.
#pragma once
#include <string>
#include <vector>

#include "profiler/trace/trace.h"

namespace culprit {

struct Execution {
  int status = 0;  // as a shell has it
  std::string output;
};

struct Traced {
  Execution execution;
  std::vector<ProcessTrace> traces;
  bool has_captured = false;  // a process said while it ran that all was recorded
};

// Of libculprit_inject.so.
std::string InjectedLibrary();

// `what`: the program's arguments. `environment`: assignments of a shell.
Execution RunProgram(const std::string& program, const std::string& what, const std::string& environment = {});
Traced RunTraced(const std::string& program, const std::string& what, TracePlan plan);

// The name of the first kernel that contains `part`; empty if there is none.
std::string SymbolWith(const ProcessTrace& trace, const std::string& part);

// -1: not counted.
double ValueOf(const CountedLaunch& launch, const std::string& id);

}  // namespace culprit
