// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace culprit {

// The `culprit` command. `args` is argv without the program's name. Results go to `out`, everything else to `err`.
// `terminal`: `out` is one, so colour may be used.
// Returns 0: fine; 1: `culprit check` found a regression; 2: could not do it, and `err` says why, or `culprit check`
// could not judge something, and its report says what.
int Main(const std::vector<std::string>& args, std::ostream& out, std::ostream& err, bool terminal);

// "culprit: " and what went wrong. The names in it may be anybody's: it is made printable, and what follows a line
// break is indented, so that no name can pass for a message of its own.
void Complain(std::string_view what, std::ostream& err);

}  // namespace culprit
