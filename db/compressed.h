// SPDX-License-Identifier: Apache-2.0
// Zstandard (RFC 8878) text, as `zstd FILE` writes it, and gzip (RFC 1952), as profilers write their traces.
// Zstandard makes exports seven times smaller.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace culprit {

// True if `bytes` begin with the magic number of a Zstandard frame or of a gzip member.
bool IsCompressed(std::string_view bytes);

// kFast: 5 to 20 times as fast, and about a quarter larger.
enum class Effort { kSmallest, kFast };

// One frame with a checksum of its content.
std::string Compressed(std::string_view text, Effort effort = Effort::kSmallest);

// One gzip member, for readers that take nothing else. It has no name and no time, so equal texts give equal bytes.
std::string Gzipped(std::string_view text);

// Decompresses all frames or members. Throws culprit::Error when they are damaged, are cut off, or hold more than `most` bytes. It
// never has more than `most` bytes in memory.
std::string Decompressed(std::string_view bytes, std::size_t most);

}  // namespace culprit
