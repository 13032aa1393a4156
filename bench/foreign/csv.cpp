// SPDX-License-Identifier: Apache-2.0
#include "bench/foreign/csv.h"

#include <fmt/format.h>

#include <algorithm>

#include "db/error.h"

namespace culprit {

std::string_view CsvReader::PeekLine() const {
  std::string_view line = rest_.substr(0, rest_.find('\n'));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

void CsvReader::SkipLine() {
  const auto end = rest_.find('\n');
  rest_.remove_prefix(end == rest_.npos ? rest_.size() : end + 1);
  ++line_;
}

CsvRow CsvReader::Next() {
  CsvRow row{line_, {}};
  std::size_t at = 0;
  const auto is_end = [&] { return at >= rest_.size() || rest_[at] == '\n' || rest_.substr(at).starts_with("\r\n"); };
  for (;;) {
    std::string& field = row.fields.emplace_back();
    if (at < rest_.size() && rest_[at] == '"') {
      for (++at;; ++at) {
        const auto quote = rest_.find('"', at);
        if (quote == rest_.npos)
          throw Error(fmt::format("{} line {}: a quoted field does not end; nothing was imported", name_, row.line));
        const std::string_view part = rest_.substr(at, quote - at);
        field += part;
        line_ += static_cast<int>(std::ranges::count(part, '\n'));
        at = quote + 1;
        if (at >= rest_.size() || rest_[at] != '"') break;
        field += '"';
      }
    }
    // What follows a closing quote belongs to the field, as spreadsheets read it.
    const std::size_t begin = at;
    while (!is_end() && rest_[at] != ',') ++at;
    field += rest_.substr(begin, at - begin);
    if (is_end()) break;
    ++at;
  }
  rest_.remove_prefix(at);
  if (rest_.starts_with("\r\n")) rest_.remove_prefix(1);
  if (rest_.starts_with("\n")) rest_.remove_prefix(1);
  ++line_;
  return row;
}

}  // namespace culprit
