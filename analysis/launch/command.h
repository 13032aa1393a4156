// SPDX-License-Identifier: Apache-2.0
// The command of a program's run: its short name, and whether two runs have the same command.
#pragma once
#include <string>

#include "db/records.h"

namespace culprit {

// Short name: "train.py" for "python -u scripts/train.py --steps 3"; "the program" when no word suggests one.
std::string ProgramName(const RunRecord& run);

// The command line without the program's folder.
std::string WithoutFolderOfProgram(const std::string& command_line);

// True if both commands have the same words. The program's folder may differ, so that an old and a new build can be
// compared. For runs of one side, compare RunRecord::command_line, which must be equal.
bool IsSameCommand(const RunRecord& a, const RunRecord& b);

}  // namespace culprit
