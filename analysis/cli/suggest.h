// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace culprit {

// The candidate closest to `word`, if it is close enough to be a slip of the finger; empty otherwise.
std::string Closest(std::string_view word, std::span<const std::string> candidates);

// "unknown stage 'v16'; did you mean 'v1_6'? There are: v0, v1_6."
std::string UnknownMessage(std::string_view what, std::string_view word, std::span<const std::string> candidates);

}  // namespace culprit
