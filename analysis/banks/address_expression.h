// SPDX-License-Identifier: Apache-2.0
// Computes a lane's byte address from a C expression, such as "lane / 8 * 512 + (lane % 8 ^ lane / 8) * 16".
#pragma once
#include <cstdint>
#include <string_view>

namespace culprit {

// The value of `text` for one lane. The only name is `lane`. Operators, precedence and short-circuit evaluation are as
// in C. All values are signed 64-bit integers. Operators: ?: || && | ^ & == != < <= > >= << >> + - * / %, unary - + ~ !
// and parentheses. Constants are decimal or 0x. Throws culprit::Error, with a caret at the place, if `text` is not such
// an expression, or if C leaves its value undefined (division by zero, overflow, a shift by less than 0 or more than
// 63 bits).
std::int64_t EvaluateAddress(std::string_view text, int lane);

}  // namespace culprit
