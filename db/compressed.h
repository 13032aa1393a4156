// SPDX-License-Identifier: Apache-2.0
// Texts compressed by Zstandard (RFC 8878), as `zstd FILE` writes them: exports that are kept or sent are a seventh of
// their size.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace culprit {

// Whether they begin with the magic number of a Zstandard frame.
bool IsCompressed(std::string_view bytes);

// One frame, with a checksum of its content.
std::string Compressed(std::string_view text);

// Of all frames. Throws culprit::Error for what is damaged or cut, and for a text of more than `most` bytes, which it
// does not hold in memory.
std::string Decompressed(std::string_view bytes, std::size_t most);

}  // namespace culprit
