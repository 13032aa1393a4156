// SPDX-License-Identifier: Apache-2.0
// The instructions of a function with the lines that they come from, and their text. Needs no GPU.
#pragma once
#include <optional>
#include <span>
#include <string>

#include "db/code.h"
#include "profiler/line_table.h"

namespace culprit {

// `lines` are the cubin's. Nullopt when the cubin does not have the function, or is none.
std::optional<MachineCode> FunctionCode(std::span<const unsigned char> cubin, const LineTable& lines,
                                        const std::string& function);

}  // namespace culprit
