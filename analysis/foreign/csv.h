// SPDX-License-Identifier: Apache-2.0
// Comma-separated values as RFC 4180 has them: fields may be quoted, a quote in a quoted field is doubled, and a quoted
// field may go on over lines.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace culprit {

struct CsvRow {
  int line = 0;  // on which it begins, from 1
  std::vector<std::string> fields;
};

class CsvReader {
 public:
  // Keeps a reference. `name` is what messages call the text; the first line of it is `line`.
  CsvReader(std::string_view text, std::string_view name, int line = 1) : rest_(text), name_(name), line_(line) {}

  bool AtEnd() const { return rest_.empty(); }
  // The line that comes next, whatever is in it, without its end.
  std::string_view PeekLine() const;
  void SkipLine();
  int Line() const { return line_; }
  // Throws culprit::Error where a quoted field does not end.
  CsvRow Next();

 private:
  std::string_view rest_;
  std::string_view name_;
  int line_;
};

}  // namespace culprit
