// SPDX-License-Identifier: Apache-2.0
// A row of digits that shows how a rate goes over time.
#pragma once
#include <cstddef>
#include <optional>
#include <string>

namespace culprit {

// Columns of a strip: with its label and its mean it fits 80.
inline constexpr std::size_t kStripColumns = 48;

inline constexpr const char* kStripLegend =
    "A digit is a rate in tenths of the most that the GPU can do: '.' is below a twentieth, '#' is nearly all, '?' was "
    "not measured.";

// '.', '1' to '9', '#': `value` in tenths of `peak`. None: '?'.
char StripDigit(const std::optional<double>& value, double peak);

}  // namespace culprit
