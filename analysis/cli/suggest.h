// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace culprit {

// The candidate that `word` is probably a typing error of. Empty: none is close enough.
std::string Closest(std::string_view word, std::span<const std::string> candidates);

// "unknown kernel 'v16'; did you mean 'v1_6'? There are: v0, v1_6." If there are more than a few candidates, the last
// sentence is their number and the command that lists them (`listed_by`): "'culprit list' lists all 52."
std::string UnknownMessage(std::string_view what, std::string_view word, std::span<const std::string> candidates,
                           std::string_view listed_by = "");

// `listed_by` for stages.
inline constexpr std::string_view kListsStages = "'culprit list'";

// Joins names: "a", "a or b", "a, b or c".
std::string Listed(std::span<const std::string> names, std::string_view last = "or");

}  // namespace culprit
