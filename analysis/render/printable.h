// SPDX-License-Identifier: Apache-2.0
// Text that others wrote (labels, names, messages, files, SQL) on its way to people. Only here is decided what a
// terminal, a page or an error message gets to see; files of CSV hold every byte, and JSON every character.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace culprit {

// About a screenful, 50 lines of 80 columns: no sentence of ours comes near, and a name of 2 MB ends there.
constexpr std::size_t kMostColumns = 4000;

// Line breaks and tabs become blanks. What a terminal would obey, or would not show, stands there as \x1b or \u202e:
// control, bidirectional, invisible and unassigned characters, bytes that are not UTF-8, and marks piled up higher
// than any language does. Text wider than `most` columns ends in "...". Twice is as good as once.
std::string Printable(std::string_view text, std::size_t most = kMostColumns);

// As Printable, but lines stay lines, and all of them stay.
std::string PrintableLines(std::string_view text);

// The same JSON, with what a terminal would obey or not show as \u escapes inside the strings. `json` is UTF-8.
std::string PrintableJson(std::string_view json);

// Columns of a terminal that printable text takes: 2 for a wide character, 0 for a combining mark.
std::size_t Width(std::string_view printable);
// Bytes of the longest beginning that takes no more than `columns`.
std::size_t BytesWithin(std::string_view printable, std::size_t columns);
// Lines of no more than `columns`, broken at blanks; one line at least. A word that is longer stays whole, or is broken
// too.
enum class LongWord { kWhole, kBroken };
std::vector<std::string> Wrapped(std::string_view printable, std::size_t columns, LongWord word = LongWord::kWhole);

}  // namespace culprit
