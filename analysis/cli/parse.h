// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "analysis/cli/command.h"

namespace culprit {

// The command to run, or the text to print. `args` is argv without the program's name. Throws Error with one sentence
// if the arguments are wrong.
std::variant<Action, std::string> Parse(const Tool& tool, const std::vector<std::string>& args);

// The help of a command, which must be one of Commands(). If `command` is empty, the help of culprit.
std::string HelpText(std::string_view command);

// Splits "-o,--output" into names.
std::vector<std::string> NamesOf(const Option& option);

}  // namespace culprit
