// SPDX-License-Identifier: Apache-2.0
#include "db/insert_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>

#include "db/connection.h"

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

  bool IsAtEnd() {
    Peek();
    return rest_.empty();
  }

  // Skips blanks and comments. '\0' at the end or at a NUL in the text.
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

  // In upper case, as SQL keywords ignore case.
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
    for (;;) {
      rest_.remove_prefix(1);  // the opening quote, or the second of two
      const std::size_t length = rest_.find(quote);
      if (length == rest_.npos) FailAt(start, "a text that begins here does not end");
      if (text.size() + length > kMaxValueBytes)
        FailAt(start, fmt::format("a text that begins here has more than {} MB, which no recording has",
                                  kMaxValueBytes >> 20));
      text += rest_.substr(0, length);
      rest_.remove_prefix(length + 1);
      if (!rest_.starts_with(quote)) break;
      text += quote;
    }
    line_ += static_cast<int>(std::count(text.begin(), text.end(), '\n'));
    return text;
  }

  // [+-] digits [. digits] [e [+-] digits], with a digit on at least one side of the point.
  Value Number() {
    const bool is_negative = rest_.starts_with('-');
    const std::string_view digits = rest_.substr(is_negative || rest_.starts_with('+') ? 1 : 0);
    const char* const end = digits.data() + digits.size();
    double real = 0;
    auto [stop, error] = std::from_chars(digits.data(), end, real);
    const bool is_word = digits.empty() || IsWordStart(digits.front());  // "inf"
    const bool ends = stop == end || !(IsWord(*stop) || *stop == '.');
    if (error == std::errc::invalid_argument || is_word || digits.starts_with('-') || !ends)
      Fail(fmt::format("expected a number, found {}", Shown()));
    // Includes the minus, because the least integer has no positive counterpart.
    const std::string text = (is_negative ? "-" : "") + std::string(digits.data(), stop);
    rest_.remove_prefix(static_cast<std::size_t>(stop - rest_.data()));
    std::int64_t integer = 0;
    if (const auto whole = std::from_chars(text.data(), text.data() + text.size(), integer);
        whole.ptr == text.data() + text.size() && whole.ec == std::errc())
      return integer;
    // Beyond what a double holds: infinite or 0, which from_chars does not tell.
    if (error == std::errc::result_out_of_range) return std::strtod(text.c_str(), nullptr);
    return is_negative ? -real : real;
  }

  std::string Shown() {
    if (IsAtEnd()) return "the end";
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
  while (!scanner.IsAtEnd()) {
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
