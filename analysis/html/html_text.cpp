// SPDX-License-Identifier: Apache-2.0
#include "analysis/html/html_text.h"

#include <fmt/core.h>

#include <algorithm>

#include "analysis/render/printable.h"

namespace culprit {
namespace {

// `shown` of `whole`, where that is less.
std::string Cut(std::string_view shown, std::string_view whole) {
  return fmt::format(R"(<span class="cut" title="{}">{}...</span>)", EscapeHtml(whole), EscapeHtml(shown));
}

}  // namespace

std::string EscapeHtml(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string Shortened(std::string_view text, std::size_t most) {
  if (const std::size_t fits = BytesWithin(text, most); fits < text.size()) {
    // One title for all of it: a cut word inside would repeat what that holds.
    const std::size_t blank = text.substr(0, fits).rfind(' ');
    const std::size_t end = blank != text.npos && blank > fits / 2 ? blank : fits;
    return Cut(text.substr(0, end), text);
  }
  std::string escaped;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    const std::size_t fits = BytesWithin(word, kWidestWord);
    // Here an arrow can be one, and no line breaks within it.
    if (word == "->")
      escaped += "&rarr;";
    else
      escaped += fits < word.size() ? Cut(word.substr(0, fits), word) : EscapeHtml(word);
    text.remove_prefix(word.size());
    const std::size_t blanks = std::min(text.find_first_not_of(' '), text.size());
    escaped.append(text.substr(0, blanks));
    text.remove_prefix(blanks);
  }
  return escaped;
}

std::string EscapeScript(std::string_view json) {
  std::string escaped;
  escaped.reserve(json.size());
  for (const char c : json) {
    if (c == '<' || c == '>' || c == '&')
      escaped += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      escaped += c;
  }
  return escaped;
}

}  // namespace culprit
