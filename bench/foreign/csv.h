// SPDX-License-Identifier: Apache-2.0
// Comma-separated values by RFC 4180. Fields may be quoted. A quote in a quoted field is doubled, and a quoted field
// may span several lines.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace culprit {

struct CsvRow {
  int line = 0;  // the number, from 1, of its first line
  std::vector<std::string> fields;
};

class CsvReader {
 public:
  // Keeps a reference. `name`: the text's name in messages. `line`: the number of its first line.
  CsvReader(std::string_view text, std::string_view name, int line = 1) : rest_(text), name_(name), line_(line) {}

  bool AtEnd() const { return rest_.empty(); }
  // The next line, not parsed and without its line end.
  std::string_view PeekLine() const;
  void SkipLine();
  int Line() const { return line_; }
  // Throws culprit::Error if a quoted field does not end.
  CsvRow Next();

 private:
  std::string_view rest_;
  std::string_view name_;
  int line_;
};

}  // namespace culprit
