// SPDX-License-Identifier: Apache-2.0
// Quotes source lines as the compiler read them. Needs no GPU.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "db/code.h"
#include "profiler/code/line_table.h"

namespace culprit {

// Quotes `lines` (with paths) and the lines around them. `compiled_bytes` gives a file's size when it was compiled, as
// LineTable::SizeOf does. Skips hidden files, toolkit and system headers, and files whose size has changed, because
// their text may have changed too. Sorted by file and line; PlaceOf names the files.
std::vector<SourceQuote> QuotesOf(std::span<const SourceFrame> lines,
                                  const std::function<std::uint64_t(const std::string& path)>& compiled_bytes);

}  // namespace culprit
