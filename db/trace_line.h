// SPDX-License-Identifier: Apache-2.0
// Lines of fields separated by tabs. Private to db/.
#pragma once
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace culprit {

// A field that is not what its line says it is.
struct BadField {};

// A field holds no tab and no line end: they are written as \t and \n, and \ as \\.
std::string Escaped(std::string_view text);
std::string Unescaped(std::string_view field);

template <class Number>
std::string NumberText(Number value) {
  char digits[32];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value);
  return std::string(digits, error == std::errc() ? end : digits);
}

// The fields of a line one after the other. A missing one is a BadField.
class LineFields {
 public:
  explicit LineFields(std::string_view line) : rest_(line) {}

  bool Empty() const { return !rest_; }
  std::string Text();
  // Finite, and within its type.
  template <class Number>
  Number Value() {
    const std::string_view field = Next();
    Number value{};
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (error != std::errc() || end != field.data() + field.size()) throw BadField();
    if constexpr (std::is_floating_point_v<Number>)
      if (!std::isfinite(value)) throw BadField();
    return value;
  }
  // An index into what has `size`; -1 where `or_none`.
  int Index(std::size_t size, bool or_none = false) {
    const int value = Value<int>();
    if ((value < 0 && !(or_none && value == -1)) || value >= static_cast<std::int64_t>(size)) throw BadField();
    return value;
  }

 private:
  std::string_view Next() {
    if (!rest_) throw BadField();
    const std::size_t end = std::min(rest_->find('\t'), rest_->size());
    const std::string_view field = rest_->substr(0, end);
    if (end == rest_->size())
      rest_.reset();
    else
      rest_->remove_prefix(end + 1);
    return field;
  }

  std::optional<std::string_view> rest_;
};

}  // namespace culprit
