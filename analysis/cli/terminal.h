// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

namespace culprit {

// Columns of the terminal that standard output is: as it says itself, else as $COLUMNS says, else 80.
std::size_t TerminalWidth();

}  // namespace culprit
