// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "analysis/cli/command.h"

namespace culprit {

// What the words ask for: a command to run, or a text to print. `args` is argv without the program's name.
// Throws Error with one sentence when they ask for nothing that there is.
std::variant<Action, std::string> Parse(const std::vector<std::string>& args);

// Of a command; of the program when `command` is empty. The command must be one of Commands().
std::string HelpText(std::string_view command);

// The names in "-o,--output", one by one.
std::vector<std::string> NamesOf(const Option& option);

}  // namespace culprit
