// SPDX-License-Identifier: Apache-2.0
// Whose code a source file holds.
#pragma once
#include <string_view>

namespace culprit {

// A header of the CUDA Toolkit or of the system, whose functions the compiler inlined into a kernel: its lines are
// counted, and are not the reader's to change. Recognised by its folder; by its name where it has none.
bool IsToolkitHeader(std::string_view file);

}  // namespace culprit
