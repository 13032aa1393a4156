// SPDX-License-Identifier: Apache-2.0
#include "analysis/number/printable.h"

#include <fmt/core.h>
#include <utf8proc.h>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace culprit {
namespace {

// Limit of Unicode's Stream-Safe Text Format (UAX #15) on combining marks after one character.
constexpr int kMostMarks = 30;
constexpr std::string_view kCut = "...";

struct Character {
  std::int32_t code;  // -1: a byte that is not UTF-8
  std::size_t bytes;
};

// `text` is not empty.
Character First(std::string_view text) {
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  if (bytes[0] < 0x80) return {bytes[0], 1};
  utf8proc_int32_t code = -1;
  // Four bytes are the longest character.
  const auto size =
      utf8proc_iterate(bytes, static_cast<utf8proc_ssize_t>(std::min<std::size_t>(text.size(), 4)), &code);
  return size > 0 ? Character{code, static_cast<std::size_t>(size)} : Character{-1, 1};
}

bool IsVisible(std::int32_t code) {
  if (code < 0x80) return code >= 0x20 && code < 0x7f;
  const utf8proc_property_t* property = utf8proc_get_property(code);
  if (property->ignorable) return false;
  switch (property->category) {
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
      return false;
    default:
      return true;
  }
}

bool IsBlank(std::int32_t code) { return code == ' ' || (code >= '\t' && code <= '\r'); }

// For a visible character.
std::size_t WidthOf(std::int32_t code) {
  if (code >= 0 && code < 0x80) return 1;
  return static_cast<std::size_t>(std::max(0, utf8proc_charwidth(code)));
}

std::string Escaped(std::string_view bytes, std::int32_t code) {
  if (code < 0x80) return fmt::format("\\x{:02x}", static_cast<unsigned char>(bytes.front()));
  return code <= 0xffff ? fmt::format("\\u{:04x}", code) : fmt::format("\\U{:08x}", code);
}

std::string EscapedInJson(std::int32_t code) {
  if (code <= 0xffff) return fmt::format("\\u{:04x}", code);
  const std::int32_t beyond = code - 0x10000;
  return fmt::format("\\u{:04x}\\u{:04x}", 0xd800 + (beyond >> 10), 0xdc00 + (beyond & 0x3ff));
}

}  // namespace

std::string Printable(std::string_view text, std::size_t most) {
  std::string printable;
  std::size_t width = 0, cut = 0;
  int marks = 0;
  while (!text.empty()) {
    const auto [code, size] = First(text);
    const std::string_view bytes = text.substr(0, size);
    text.remove_prefix(size);
    if (code == '\r' && text.starts_with('\n')) continue;
    const std::size_t columns = WidthOf(code);
    marks = columns == 0 ? marks + 1 : 0;
    std::string escaped;
    if (IsBlank(code))
      escaped = " ";
    else if (!IsVisible(code) || marks > kMostMarks)
      escaped = Escaped(bytes, code);
    width += escaped.empty() ? columns : escaped.size();
    if (width > most) return printable.substr(0, cut) + std::string(kCut);
    printable += escaped.empty() ? bytes : escaped;
    if (width + kCut.size() <= most) cut = printable.size();
  }
  return printable;
}

std::string PrintableLines(std::string_view text) {
  std::string lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines += Printable(text.substr(0, end), std::numeric_limits<std::size_t>::max());
    if (end < text.size()) lines += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string PrintableJson(std::string_view json) {
  std::string printable;
  printable.reserve(json.size());
  while (!json.empty()) {
    const auto [code, size] = First(json);
    // The only ASCII character here that a string may contain is DEL; the others occur between values.
    if (IsBlank(code) || IsVisible(code))
      printable += json.substr(0, size);
    else
      printable += EscapedInJson(code);
    json.remove_prefix(size);
  }
  return printable;
}

std::size_t Width(std::string_view printable) {
  std::size_t width = 0;
  while (!printable.empty()) {
    const auto [code, size] = First(printable);
    width += WidthOf(code);
    printable.remove_prefix(size);
  }
  return width;
}

std::size_t BytesWithin(std::string_view printable, std::size_t columns) {
  std::size_t width = 0, bytes = 0;
  while (bytes < printable.size()) {
    const auto [code, size] = First(printable.substr(bytes));
    width += WidthOf(code);
    if (width > columns) break;
    bytes += size;
  }
  return bytes;
}

// Where to break a word of more than `fits` bytes: after a joint, as in "triangle_rows_", else anywhere.
std::size_t BreakWithin(std::string_view word, std::size_t fits) {
  const std::size_t joint = fits > 1 ? word.find_last_of("_-/.:,", fits - 1) : word.npos;
  return std::max<std::size_t>(joint != word.npos && joint >= fits / 3 ? joint + 1 : fits, 1);
}

std::vector<std::string> Wrapped(std::string_view text, std::size_t columns, LongWord word) {
  std::vector<std::string> lines;
  while (true) {
    const std::size_t fits = BytesWithin(text, columns);
    std::size_t cut = fits == text.size() ? fits : text.rfind(' ', fits);
    if (cut == text.npos || cut == 0) cut = word == LongWord::kWhole ? text.find(' ', fits) : BreakWithin(text, fits);
    cut = std::min(cut, text.size());
    lines.emplace_back(text.substr(0, cut));
    if (cut == text.size()) return lines;
    text.remove_prefix(text[cut] == ' ' ? cut + 1 : cut);
  }
}

}  // namespace culprit
