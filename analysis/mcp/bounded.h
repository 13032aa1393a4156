// SPDX-License-Identifier: Apache-2.0
// Makes an answer short enough for a reader that pays for each byte.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "analysis/mcp/message.h"

namespace culprit::mcp {

inline constexpr std::size_t kUsualBytes = 4096, kLeastBytes = 1024, kMostBytes = 262'144;

struct Bounds {
  std::size_t bytes = kUsualBytes;
  bool full = false;  // leaves no key out
  // Keys that a short answer leaves out, as paths: "stalls", "causes[].source". If there are any, it also leaves out
  // empty texts, and numbers whose status is "not_asked".
  std::span<const std::string_view> details = {};
};

// The answer as one line of JSON of at most `bounds.bytes`. Fractions are rounded to 6 digits. If lists, texts or keys
// are left out, `left_out` says how many, and how to ask for them. `answer`: an object, which becomes what was written.
// Throws culprit::Error if even the shortest answer is longer.
std::string Bounded(Json& answer, const Bounds& bounds);

}  // namespace culprit::mcp
