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

// `lines`: with paths; `compiled_bytes`: what size a file had when it was compiled, as LineTable::SizeOf says. Quoted
// are, with the lines around them, those of files of that size that are neither hidden nor the toolkit's nor the
// system's: of others the text may be another. By file and line; files are named as PlaceOf does.
std::vector<SourceQuote> QuotesOf(std::span<const SourceLine> lines,
                                  const std::function<std::uint64_t(const std::string& path)>& compiled_bytes);

}  // namespace culprit
