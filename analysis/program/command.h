// SPDX-License-Identifier: Apache-2.0
// The command of a program's run: what people call it, and whether two runs are of one command.
#pragma once
#include <string>

#include "db/records.h"

namespace culprit {

// What people call it: "train.py" of "python -u scripts/train.py --steps 3". "the program" where no word says.
std::string ProgramName(const RunRecord& run);

// A command line as people know it again: without the folder of the program itself.
std::string WithoutFolderOfProgram(const std::string& command_line);

// The same words, where the folder of the program itself does not count: the old build and the new one stand in
// different folders, and are to be compared. Whether two runs are executions of one side is another question:
// RunRecord::command_line answers it, which must be equal then.
bool IsSameCommand(const RunRecord& a, const RunRecord& b);

}  // namespace culprit
