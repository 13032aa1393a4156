// SPDX-License-Identifier: Apache-2.0
#include "analysis/show/html/html_text.h"

#include <fmt/core.h>

#include <algorithm>

#include "analysis/number/printable.h"

namespace culprit {
namespace {

// `shown`, and the `whole` as title when it is longer.
std::string Cut(std::string_view shown, std::string_view whole) {
  return fmt::format(R"(<span class="cut" title="{}">{}...</span>)", EscapeMarkup(whole), EscapeMarkup(shown));
}

bool BeginsWithUnit(std::string_view text) {
  const std::string_view word = text.substr(0, text.find_first_of(" ,;:.)"));
  return word == "%" || word == "us" || word == "ms" || word == "s";
}

}  // namespace

std::string EscapeMarkup(std::string_view text) {
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
    // A single title: a cut word inside would repeat part of it.
    const std::size_t blank = text.substr(0, fits).rfind(' ');
    const std::size_t end = blank != text.npos && blank > fits / 2 ? blank : fits;
    return Cut(text.substr(0, end), text);
  }
  std::string escaped;
  // Longer text may break into lines, and nobody copies it as a number.
  constexpr std::size_t kNumber = 40;
  const bool may_break = text.size() > kNumber;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    const std::size_t fits = BytesWithin(word, kWidestWord);
    // HTML has an arrow, and no line breaks inside it.
    if (word == "->")
      escaped += "&rarr;";
    else
      escaped += fits < word.size() ? Cut(word.substr(0, fits), word) : EscapeMarkup(word);
    text.remove_prefix(word.size());
    const std::size_t blanks = std::min(text.find_first_not_of(' '), text.size());
    // No line begins with an arrow, or with a number's unit.
    const bool ends_in_digit = !word.empty() && word.back() >= '0' && word.back() <= '9';
    if (may_break && blanks == 1 && (text.starts_with(" -> ") || (ends_in_digit && BeginsWithUnit(text.substr(1)))))
      escaped += "&nbsp;";
    else
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
