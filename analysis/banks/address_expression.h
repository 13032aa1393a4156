// SPDX-License-Identifier: Apache-2.0
// Lane -> byte address, written as people write it in a kernel: "lane / 8 * 512 + (lane % 8 ^ lane / 8) * 16".
#pragma once
#include <cstdint>
#include <string_view>

namespace culprit {

// The value of `text` for one lane. `lane` is its only name; operators, precedence and short circuits are C's, on
// signed 64-bit integers: ?: || && | ^ & == != < <= > >= << >> + - * / % and unary - + ~ !, parentheses, decimal and 0x
// constants. Throws culprit::Error, with a caret under the place, for text that is not an expression, and where C
// leaves the value undefined: division by zero, a shift by less than 0 or more than 63 bits, overflow.
std::int64_t EvaluateAddress(std::string_view text, int lane);

}  // namespace culprit
