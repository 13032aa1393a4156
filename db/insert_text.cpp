// SPDX-License-Identifier: Apache-2.0
#include "db/insert_text.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <limits>

namespace culprit {
namespace {

bool IsWordStart(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool IsWord(char c) { return IsWordStart(c) || std::isdigit(static_cast<unsigned char>(c)); }

class Scanner {
 public:
  Scanner(std::string_view text, std::string_view source_name) : rest_(text), source_name_(source_name) {}

  [[noreturn]] void Fail(std::string_view what) const { FailAt(line_, what); }
  [[noreturn]] void FailAt(int line, std::string_view what) const {
    throw Error(fmt::format("{} line {}: {}; nothing was imported", source_name_, line, what));
  }

  int line() const { return line_; }

  // Skips blanks and comments; '\0' at the end.
  char Peek() {
    while (!rest_.empty()) {
      if (rest_.front() == '\n') ++line_;
      if (std::isspace(static_cast<unsigned char>(rest_.front()))) {
        rest_.remove_prefix(1);
      } else if (rest_.starts_with("--")) {
        rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size()));
      } else {
        return rest_.front();
      }
    }
    return '\0';
  }

  bool Accept(char c) {
    if (Peek() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void Expect(char c, std::string_view where) {
    if (!Accept(c)) Fail(fmt::format("expected '{}' {}, found {}", c, where, Shown()));
  }

  // Upper case: SQL's words have none of their own.
  std::string Keyword() {
    Peek();
    std::size_t length = 0;
    while (length < rest_.size() && IsWord(rest_[length])) ++length;
    std::string word(rest_.substr(0, length));
    for (char& c : word) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    rest_.remove_prefix(length);
    return word;
  }

  std::string Name(std::string_view of_what) {
    if (Peek() == '"') return Quoted('"');
    std::size_t length = 0;
    while (length < rest_.size() && IsWord(rest_[length])) ++length;
    if (length == 0 || !IsWordStart(rest_.front()))
      Fail(fmt::format("expected the name of a {}, found {}", of_what, Shown()));
    std::string name(rest_.substr(0, length));
    rest_.remove_prefix(length);
    return name;
  }

  Value Literal() {
    const char c = Peek();
    if (c == '\'') return Quoted('\'');
    if (c == '-' || c == '+' || c == '.' || std::isdigit(static_cast<unsigned char>(c))) return Number();
    if (IsWordStart(c)) {
      const std::string_view before = rest_;
      if (Keyword() == "NULL") return {};
      rest_ = before;
    }
    Fail(fmt::format("expected a number, a text or NULL, found {}", Shown()));
  }

 private:
  std::string Quoted(char quote) {
    const int start = line_;
    std::string text;
    rest_.remove_prefix(1);
    while (!rest_.empty()) {
      const char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == '\n') ++line_;
      if (c == quote && !rest_.starts_with(quote)) return text;
      if (c == quote) rest_.remove_prefix(1);
      text += c;
    }
    FailAt(start, "a text that begins here does not end");
  }

  Value Number() {
    if (rest_.front() == '+') rest_.remove_prefix(1);
    std::size_t length = rest_.starts_with('-') ? 1 : 0;
    const auto is_part = [&](std::size_t i) {
      const char c = rest_[i];
      return std::isdigit(static_cast<unsigned char>(c)) || c == '.' || c == 'e' || c == 'E' ||
             ((c == '-' || c == '+') && (rest_[i - 1] == 'e' || rest_[i - 1] == 'E'));
    };
    while (length < rest_.size() && is_part(length)) ++length;
    const std::string_view digits = rest_.substr(0, length);
    const char* const end = digits.data() + digits.size();
    Value value;
    std::int64_t integer = 0;
    double real = 0;
    if (const auto [stop, error] = std::from_chars(digits.data(), end, integer); stop == end && error == std::errc()) {
      value = integer;
    } else if (const auto [real_stop, real_error] = std::from_chars(digits.data(), end, real); real_stop != end) {
      Fail(fmt::format("'{}' is not a number", digits));
    } else if (real_error == std::errc::result_out_of_range) {
      // from_chars leaves it to us which way: a large exponent is infinity, as in SQLite, a small one zero.
      const bool is_tiny = digits.find("e-") != digits.npos || digits.find("E-") != digits.npos;
      const double magnitude = is_tiny ? 0.0 : std::numeric_limits<double>::infinity();
      value = digits.starts_with('-') ? -magnitude : magnitude;
    } else {
      value = real;
    }
    rest_.remove_prefix(length);
    return value;
  }

  std::string Shown() {
    if (Peek() == '\0') return "the end";
    constexpr std::size_t kShown = 20;
    return fmt::format("'{}'", rest_.substr(0, std::min(rest_.find('\n'), kShown)));
  }

  std::string_view rest_;
  std::string_view source_name_;
  int line_ = 1;
};

void ReadInsert(Scanner& scanner, const InsertReader& reader) {
  InsertTarget target;
  target.line = scanner.line();
  if (scanner.Keyword() != "INTO") scanner.Fail("only 'INSERT INTO table(columns) VALUES ...' is understood");
  target.table = scanner.Name("table");
  scanner.Expect('(', "before the columns");
  do {
    target.columns.push_back(scanner.Name("column"));
  } while (scanner.Accept(','));
  scanner.Expect(')', "after the columns");
  if (scanner.Keyword() != "VALUES") scanner.Fail("only 'INSERT INTO table(columns) VALUES ...' is understood");
  reader.begin(target);
  std::vector<Value> row;
  do {
    row.clear();
    scanner.Expect('(', "before a row");
    const int line = scanner.line();
    do {
      row.push_back(scanner.Literal());
    } while (scanner.Accept(','));
    scanner.Expect(')', "after a row");
    if (row.size() != target.columns.size())
      scanner.FailAt(line, fmt::format("a row of {} has {} values for {} columns", target.table, row.size(),
                                       target.columns.size()));
    reader.row(row, line);
  } while (scanner.Accept(','));
}

}  // namespace

int SchemaOf(std::string_view text, std::string_view source_name) {
  int version = 0;
  if (text.starts_with(kExportMark)) {
    const std::string_view digits = text.substr(kExportMark.size());
    std::from_chars(digits.data(), digits.data() + digits.size(), version);
  }
  if (version <= 0)
    throw Error(fmt::format(
        "{} line 1: an export begins with '{}N': pass a file that 'culprit export' wrote; nothing was imported",
        source_name, kExportMark));
  return version;
}

void ReadInserts(std::string_view text, std::string_view source_name, const InsertReader& reader) {
  Scanner scanner(text, source_name);
  bool is_open = false, is_done = false;
  while (scanner.Peek() != '\0') {
    const int line = scanner.line();
    const std::string word = scanner.Keyword();
    if (is_done) scanner.FailAt(line, "there is something after COMMIT");
    if (word == "BEGIN" && !is_open) {
      is_open = true;
    } else if (word == "COMMIT" && is_open) {
      is_done = true;
    } else if (word == "INSERT" && is_open) {
      ReadInsert(scanner, reader);
    } else {
      scanner.FailAt(line, fmt::format("only BEGIN, INSERT and COMMIT are understood, found '{}'", word));
    }
    scanner.Expect(';', "after a statement");
  }
  if (!is_done) scanner.Fail("the text ends before its COMMIT: it was cut off, export it again");
}

}  // namespace culprit
