// SPDX-License-Identifier: Apache-2.0
#include "profiler/trace/trace_line.h"

namespace culprit {
namespace {

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

}  // namespace

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

std::string LineFields::Text() { return Unescaped(Field()); }

std::string_view LineFields::Field() {
  if (!rest_) throw BadField();
  const std::size_t end = std::min(rest_->find('\t'), rest_->size());
  const std::string_view field = rest_->substr(0, end);
  if (end == rest_->size())
    rest_.reset();
  else
    rest_->remove_prefix(end + 1);
  return field;
}

}  // namespace culprit
