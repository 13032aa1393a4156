// SPDX-License-Identifier: Apache-2.0
// Whole files of text, in and out.
#pragma once
#include <string>

namespace culprit {

// What an import may be, in bytes: thirty times the largest recording that ships, and what a machine can hold in
// memory.
inline constexpr std::size_t kMaxTextBytes = std::size_t{1} << 30;

// Of a file or a pipe; what Zstandard compressed is decompressed. Throws culprit::Error for a directory, for a device,
// which may never end, and for a text of more than kMaxTextBytes.
std::string ReadTextFile(const std::string& file);

// Puts `text` in the place of `file`, or writes it into the pipe or device of that name. An earlier file keeps its
// contents until the new one is complete, and its permissions for good; through a link, the file it leads to is
// replaced. Throws culprit::Error.
void ReplaceTextFile(const std::string& file, const std::string& text);

}  // namespace culprit
