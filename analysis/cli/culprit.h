// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace culprit {

// The `culprit` command. `args` is argv without the program's name. Results go to `out`, everything else to `err`.
// `terminal`: `out` is a terminal, so colour may be used. Returns 0: success; 1: `culprit check` found a regression; 2:
// the command failed and `err` says why, or `culprit check` could not judge something and its report says what.
int Main(const std::vector<std::string>& args, std::ostream& out, std::ostream& err, bool terminal);

// The same for another program with commands of this kind.
struct Tool;
int Main(const Tool& tool, const std::vector<std::string>& args, std::ostream& out, std::ostream& err, bool terminal);

// Writes "culprit: " and what went wrong. Names in `what` are untrusted. So it is made printable, and text after a line
// break is indented, because no name may look like a separate message.
void Complain(std::string_view what, std::ostream& err);

}  // namespace culprit
