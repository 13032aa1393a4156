// SPDX-License-Identifier: Apache-2.0
// Makes foreign text (labels, names, messages, files, SQL) safe to show. Only this file decides which characters
// terminals, pages and error messages show. CSV files keep every byte, and JSON keeps every character.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace culprit {

// About a screenful, 50 lines of 80 columns. Our sentences are shorter; the limit is for foreign names of, say, 2 MB.
constexpr std::size_t kMostColumns = 4000;

// Replaces line breaks and tabs by blanks. Escapes, as \x1b or \u202e, each character that a terminal would obey or not
// show: control, bidirectional, invisible and unassigned characters, bytes that are not UTF-8, and more stacked marks
// than any language has. Text wider than `most` columns ends in "...". Printable(Printable(x)) equals Printable(x).
std::string Printable(std::string_view text, std::size_t most = kMostColumns);

// As Printable, but keeps line breaks and the full length.
std::string PrintableLines(std::string_view text);

// The same JSON, with the same characters of its strings as \u escapes. `json` is UTF-8.
std::string PrintableJson(std::string_view json);

// Terminal columns of printable text: 2 for a wide character, 0 for a combining mark.
std::size_t Width(std::string_view printable);
// Bytes of the longest prefix within `columns`.
std::size_t BytesWithin(std::string_view printable, std::size_t columns);
// Breaks text at blanks into one or more lines of at most `columns`. `word` says if a longer word stays whole.
enum class LongWord { kWhole, kBroken };
std::vector<std::string> Wrapped(std::string_view printable, std::size_t columns, LongWord word = LongWord::kWhole);

}  // namespace culprit
