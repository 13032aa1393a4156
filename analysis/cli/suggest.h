// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace culprit {

// The candidate closest to `word`, if it is close enough to be a slip of the finger; empty otherwise.
std::string Closest(std::string_view word, std::span<const std::string> candidates);

// "unknown stage 'v16'; did you mean 'v1_6'? There are: v0, v1_6." Of more than a few candidates it says how many there
// are and what lists them, where `listed_by` says it: "'culprit stages' lists all 52."
std::string UnknownMessage(std::string_view what, std::string_view word, std::span<const std::string> candidates,
                           std::string_view listed_by = "");

// What lists the stages, for UnknownMessage.
inline constexpr std::string_view kListsStages = "'culprit stages'";

// The names one after the other: "a", "a or b", "a, b or c".
std::string Listed(std::span<const std::string> names, std::string_view last = "or");

}  // namespace culprit
