// SPDX-License-Identifier: Apache-2.0
// Escapes text for a page. No other file does this.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace culprit {

// Column limits for a word, for a cell or heading, and for a sentence. Longer text is cut on the page, and its tooltip
// shows the whole (at most kMostColumns of printable.h).
inline constexpr std::size_t kWidestWord = 72, kWidestLine = 160, kWidestSentence = 1200;

// For text and quoted attribute values in HTML and XML.
std::string EscapeMarkup(std::string_view text);

// Escapes text and cuts it at `most` columns, and each word at kWidestWord columns. The tooltip of the ellipsis has the
// whole text.
std::string Shortened(std::string_view printable, std::size_t most = kWidestSentence);

// JSON inside a <script>: escapes whatever could end or comment out the element.
std::string EscapeScript(std::string_view json);

}  // namespace culprit
