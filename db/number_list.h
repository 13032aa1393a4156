// SPDX-License-Identifier: Apache-2.0
// Series of numbers as text: JSON arrays, which SQLite's json_each reads. Private to db/.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace culprit {

// "[1.5,null,20]". Five significant digits: more than any sample has. A number that is not finite or is negative counts
// as not measured.
std::string NumberList(std::span<const std::optional<double>> numbers);
std::string NumberList(std::span<const double> numbers);

// What NumberList wrote. `column` is for messages: "timeline_counter.sums". Throws BadRow (db/columns.h) for any other
// text, a number outside 0 to kMostCount, or more than `most` numbers.
std::vector<std::optional<double>> MaybeNumbersOf(std::string_view json, std::string_view column, std::size_t most);
// The same where no number may be missing.
std::vector<double> NumbersOf(std::string_view json, std::string_view column, std::size_t most);

}  // namespace culprit
