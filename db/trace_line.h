// SPDX-License-Identifier: Apache-2.0
// Lines of fields separated by tabs. Private to db/.
#pragma once
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

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
  explicit LineFields(std::string_view line);

  bool Empty() const { return next_ == fields_.size(); }
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
    if (Empty()) throw BadField();
    return fields_[next_++];
  }

  std::vector<std::string_view> fields_;
  std::size_t next_ = 0;
};

}  // namespace culprit
