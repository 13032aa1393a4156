// SPDX-License-Identifier: Apache-2.0
// Lines of fields separated by tabs. Private to profiler/trace/.
#pragma once
#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "db/error.h"
#include "profiler/trace/trace_fields.h"

namespace culprit {

// Thrown for a field that is missing or has a wrong value.
struct BadField {};

// A field must not contain tabs and line ends. They are written as \t and \n, and \ is written as \\.
std::string Escaped(std::string_view text);

// A line to be written. Its values are numbers, texts, enumerators (by name), and the Fields of records.
class NewLine {
 public:
  template <class... Values>
  explicit NewLine(std::string_view what, const Values&... values) : text_(what) {
    Add(values...);
  }
  template <class... Values>
  void Add(const Values&... values) {
    (Put(values), ...);
  }
  const std::string& text() const { return text_; }

 private:
  void Put(std::string_view text) { text_ += '\t' + Escaped(text); }
  template <class Value>
  void Put(const std::optional<Value>& value) {
    value ? Put(*value) : Put("");
  }
  template <class... Members>
  void Put(const std::tuple<Members&...>& fields) {
    std::apply([&](const auto&... members) { Add(members...); }, fields);
  }
  template <class Value>
  requires(!std::is_convertible_v<Value, std::string_view>) void Put(const Value& value) {
    if constexpr (std::is_same_v<Value, bool>) {
      Put(int{value});
    } else if constexpr (std::is_enum_v<Value>) {
      Put(NameOf(value));
    } else if constexpr (std::is_arithmetic_v<Value>) {
      char digits[32];
      const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value);
      text_.append(1, '\t').append(digits, end);
    } else {
      Put(Fields(value));
    }
  }

  std::string text_;
};

// Reads the fields of a line one after the other. Throws BadField for a missing field.
class LineFields {
 public:
  explicit LineFields(std::string_view line) : rest_(line) {}

  bool Empty() const { return !rest_; }
  // Reads the next fields in the form that NewLine writes.
  template <class... Values>
  void Take(Values&... values) {
    (Get(values), ...);
  }
  template <class Value>
  Value Next() {
    Value value{};
    Get(value);
    return value;
  }
  template <class Number>
  Number NotNegative() {
    const auto value = Next<Number>();
    if (value < 0) throw BadField();
    return value;
  }
  // The same for the columns of a table from `at` on. Throws BadField for a number outside its column's range.
  template <class... Values>
  void TakeFrom(Place at, Values&... values) {
    ((Get(values, at.range()), at = at.Next()), ...);
  }

 private:
  template <class Value>
  void Get(std::optional<Value>& into, const NumberRange* range = nullptr) {
    into.reset();
    if (rest_ && (rest_->empty() || rest_->front() == '\t'))
      Field();
    else
      Get(into.emplace(), range);
  }
  template <class Value>
  void Get(Value& into, const NumberRange* range = nullptr) {
    if constexpr (std::is_same_v<Value, std::string>) {
      into = Text();
    } else if constexpr (std::is_same_v<Value, bool>) {
      into = Next<int>() != 0;
    } else if constexpr (std::is_enum_v<Value>) {
      const auto kind = KindNamed<Value>(Text());
      if (!kind) throw BadField();
      into = *kind;
    } else if constexpr (std::is_arithmetic_v<Value>) {
      const std::string_view field = Field();
      Value value{};
      const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
      if (error != std::errc() || end != field.data() + field.size()) throw BadField();
      const auto number = static_cast<double>(value);
      if (range ? !range->Holds(number) : !std::isfinite(number)) throw BadField();
      into = value;
    } else if constexpr (kFirst<Value>.index >= 0) {
      std::apply([&](auto&... members) { TakeFrom(kFirst<Value>, members...); }, Fields(into));
    } else {
      std::apply([&](auto&... members) { Take(members...); }, Fields(into));
    }
  }
  std::string Text();
  std::string_view Field();

  std::optional<std::string_view> rest_;
};

// Visits each complete line after the first. Throws culprit::Error if the first line is not `magic`.
template <class Visit>
void ForEachLine(std::string_view text, std::string_view magic, std::string_view name, Visit visit) {
  const std::string first = std::string(magic) + '\n';
  if (!text.starts_with(first))
    throw Error(std::string(name) + " is not what a recorded program writes: record the program again.");
  text.remove_prefix(first.size());
  for (std::size_t end = text.find('\n'); end != text.npos; end = text.find('\n')) {
    visit(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
}

}  // namespace culprit
