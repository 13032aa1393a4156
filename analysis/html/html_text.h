// SPDX-License-Identifier: Apache-2.0
// Text on its way into a page. Whatever a name holds, it stays text: the only place that escapes.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace culprit {

// Columns of a word, of the text of a cell or heading, and of a sentence, after which a page cuts; the whole is what
// the cursor shows there, as far as a report holds it (kMostColumns of printable.h).
inline constexpr std::size_t kWidestWord = 72, kWidestLine = 160, kWidestSentence = 1200;

// For text and for the values of quoted attributes, of HTML and of XML.
std::string EscapeMarkup(std::string_view text);

// Escaped; what is wider than `most`, and each word wider than kWidestWord, ends in an ellipsis that has the whole as
// its title.
std::string Shortened(std::string_view printable, std::size_t most = kWidestSentence);

// JSON that can stand inside a <script>: no character of it can end or comment the element.
std::string EscapeScript(std::string_view json);

}  // namespace culprit
