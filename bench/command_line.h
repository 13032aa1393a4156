// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace culprit {

// The arguments, quoted for a shell, to be stored with the run. Drops the folders of the program and its database,
// because they are private and mean nothing on other machines.
std::string CommandLine(int argc, const char* const* argv);

}  // namespace culprit
