// SPDX-License-Identifier: Apache-2.0
// Text of source lines as the compiler read them. Needs no GPU.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "db/code.h"
#include "profiler/line_table.h"

namespace culprit {

inline constexpr int kQuotedAround = 2;  // so many lines before and after a named one are quoted, too

// `lines`: with paths; `compiled_bytes`: what size a file had when it was compiled, as LineTable::SizeOf says. Quoted
// are files of that size that are neither the toolkit's nor the system's: of others the text may be another. By file
// and line; files are named as PlaceOf does.
std::vector<SourceQuote> QuotesOf(std::span<const SourceLine> lines,
                                  const std::function<std::uint64_t(const std::string& path)>& compiled_bytes);

}  // namespace culprit
