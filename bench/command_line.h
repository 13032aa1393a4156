// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace culprit {

// The arguments as a shell would take them, to be stored with the run. The program and its database are named without
// their folders: runs travel, and where they were made is nobody's business.
std::string CommandLine(int argc, const char* const* argv);

}  // namespace culprit
