// SPDX-License-Identifier: Apache-2.0
// Reads and writes whole text files.
#pragma once
#include <string>

namespace culprit {

// The largest import in bytes. It is thirty times the largest recording in db/recorded, and fits in memory.
inline constexpr std::size_t kMaxTextBytes = std::size_t{1} << 30;

// Reads a file or a pipe and decompresses Zstandard. Throws culprit::Error for a directory, for a device (which may
// never end), and for a text above kMaxTextBytes.
std::string ReadTextFile(const std::string& file);

// Replaces the content of `file` by `text`, or writes to the pipe or device of that name. An existing file keeps its
// content until the new one is complete, and keeps its permissions. A link stays, and its target is replaced. Throws
// culprit::Error.
void ReplaceTextFile(const std::string& file, const std::string& text);

}  // namespace culprit
