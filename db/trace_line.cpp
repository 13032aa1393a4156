// SPDX-License-Identifier: Apache-2.0
#include "db/trace_line.h"

namespace culprit {

std::string Escaped(std::string_view text) {
  std::string field;
  for (const char c : text) switch (c) {
      case '\t':
        field += "\\t";
        break;
      case '\n':
        field += "\\n";
        break;
      case '\\':
        field += "\\\\";
        break;
      case '\0':
        break;
      default:
        field += c;
    }
  return field;
}

std::string Unescaped(std::string_view field) {
  std::string text;
  for (std::size_t i = 0; i < field.size(); ++i) {
    if (field[i] != '\\' || i + 1 == field.size()) {
      text += field[i];
      continue;
    }
    const char c = field[++i];
    text += c == 't' ? '\t' : c == 'n' ? '\n' : c;
  }
  return text;
}

std::string LineFields::Text() { return Unescaped(Next()); }

}  // namespace culprit
