// SPDX-License-Identifier: Apache-2.0
#include "analysis/banks/address_expression.h"

#include <cctype>
#include <charconv>
#include <limits>
#include <string>

#include "db/error.h"

namespace culprit {
namespace {

struct Operator {
  std::string_view text;
  int precedence;  // C11 6.5.5 to 6.5.14; a larger one binds tighter
};

// Two-character operators before their one-character prefixes.
constexpr Operator kOperators[] = {{"||", 1}, {"&&", 2}, {"==", 6}, {"!=", 6}, {"<=", 7}, {">=", 7},
                                   {"<<", 8}, {">>", 8}, {"|", 3},  {"^", 4},  {"&", 5},  {"<", 7},
                                   {">", 7},  {"+", 9},  {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10}};

// Nesting limit for parentheses, signs and conditions. People nest less, and the stack allows much more.
constexpr int kDeepest = 200;

class Evaluation {
 public:
  Evaluation(std::string_view text, int lane) : text_(text), lane_(lane) {}

  std::int64_t Run() {
    const std::int64_t value = Conditional();
    if (SkipBlanks(); at_ < text_.size()) Fail("expected an operator", at_);
    return value;
  }

 private:
  // One nesting level: counts recursion.
  class Level {
   public:
    explicit Level(Evaluation& evaluation) : depth_(evaluation.depth_) {
      if (++depth_ > kDeepest) evaluation.Fail("too deeply nested", evaluation.at_);
    }
    ~Level() { --depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    int& depth_;
  };

  std::int64_t Conditional() {
    const std::int64_t condition = Binary(1);
    if (!Take("?")) return condition;
    const Level level(*this);
    const bool live = live_;
    live_ = live && condition != 0;
    const std::int64_t yes = Conditional();
    if (!Take(":")) Fail("expected ':'", at_);
    live_ = live && condition == 0;
    const std::int64_t no = Conditional();
    live_ = live;
    return condition != 0 ? yes : no;
  }

  // Precedence climbing: operators that bind at least as tightly as `loosest`, from the left.
  std::int64_t Binary(int loosest) {
    std::int64_t left = Unary();
    while (const Operator* op = Next()) {
      if (op->precedence < loosest) break;
      const std::size_t at = at_;
      at_ += op->text.size();
      const bool live = live_;
      if (op->text == "&&") live_ = live && left != 0;
      if (op->text == "||") live_ = live && left == 0;
      const std::int64_t right = Binary(op->precedence + 1);
      live_ = live;
      left = live ? Apply(op->text, left, right, at) : 0;
    }
    return left;
  }

  std::int64_t Unary() {
    const Level level(*this);
    SkipBlanks();
    const std::size_t at = at_;
    if (Take("-")) return Apply("-", 0, Unary(), at);
    if (Take("+")) return Unary();
    if (Take("~")) return ~Unary();
    if (Take("!")) return Unary() == 0;
    return Primary();
  }

  std::int64_t Primary() {
    if (Take("(")) {
      const std::int64_t value = Conditional();
      if (!Take(")")) Fail("expected ')'", at_);
      return value;
    }
    const std::size_t from = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_')) ++at_;
    const std::string_view word = text_.substr(from, at_ - from);
    if (word == "lane") return lane_;
    if (word.empty() || !std::isdigit(static_cast<unsigned char>(word.front())))
      Fail("expected a number, 'lane' or '('", from);
    return Constant(word, from);
  }

  std::int64_t Constant(std::string_view word, std::size_t at) const {
    const bool hexadecimal = word.starts_with("0x") || word.starts_with("0X");
    if (!hexadecimal && word.size() > 1 && word.front() == '0')
      Fail("a constant that begins with 0 is octal in C; write it in decimal or as 0x", at);
    if (hexadecimal) word.remove_prefix(2);
    std::int64_t value = 0;
    const char* end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data(), end, value, hexadecimal ? 16 : 10);
    if (error == std::errc::result_out_of_range) Fail("this number does not fit into 64 bits", at);
    if (error != std::errc() || stop != end) Fail("this is not a number", at);
    return value;
  }

  std::int64_t Apply(std::string_view op, std::int64_t a, std::int64_t b, std::size_t at) const {
    if (!live_) return 0;
    constexpr std::int64_t kSmallest = std::numeric_limits<std::int64_t>::min();
    std::int64_t value = 0;
    bool overflow = false;
    if (op == "+") {
      overflow = __builtin_add_overflow(a, b, &value);
    } else if (op == "-") {
      overflow = __builtin_sub_overflow(a, b, &value);
    } else if (op == "*") {
      overflow = __builtin_mul_overflow(a, b, &value);
    } else if (op == "/" || op == "%") {
      if (b == 0) Fail("division by zero", at);
      overflow = a == kSmallest && b == -1;
      if (!overflow) value = op == "/" ? a / b : a % b;
    } else if (op == "<<" || op == ">>") {
      if (b < 0 || b > 63) Fail("a shift by less than 0 or more than 63 bits", at);
      value = op == "<<" ? a << b : a >> b;
      overflow = op == "<<" && value >> b != a;
    } else {
      value = Combine(op, a, b);
    }
    if (overflow) Fail("the value does not fit into 64 bits", at);
    return value;
  }

  // Operators that are defined for all values.
  static std::int64_t Combine(std::string_view op, std::int64_t a, std::int64_t b) {
    if (op == "|") return a | b;
    if (op == "^") return a ^ b;
    if (op == "&") return a & b;
    if (op == "==") return a == b;
    if (op == "!=") return a != b;
    if (op == "<") return a < b;
    if (op == "<=") return a <= b;
    if (op == ">") return a > b;
    if (op == ">=") return a >= b;
    return op == "&&" ? a != 0 && b != 0 : a != 0 || b != 0;
  }

  const Operator* Next() {
    SkipBlanks();
    for (const Operator& op : kOperators)
      if (text_.substr(at_).starts_with(op.text)) return &op;
    return nullptr;
  }

  bool Take(std::string_view token) {
    SkipBlanks();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }

  void SkipBlanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }

  [[noreturn]] void Fail(const std::string& what, std::size_t at) const {
    std::string line(text_);
    for (char& c : line)
      if (std::isspace(static_cast<unsigned char>(c))) c = ' ';  // keeps the caret at the right place
    throw Error("the pattern has no value for lane " + std::to_string(lane_) + ": " + what + ", here:\n  " + line +
                "\n  " + std::string(at, ' ') + '^');
  }

  std::string_view text_;
  int lane_;
  std::size_t at_ = 0;
  bool live_ = true;  // false where C does not evaluate: an untaken branch may divide by zero
  int depth_ = 0;
};

}  // namespace

std::int64_t EvaluateAddress(std::string_view text, int lane) { return Evaluation(text, lane).Run(); }

}  // namespace culprit
