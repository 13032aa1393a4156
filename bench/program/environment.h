// SPDX-License-Identifier: Apache-2.0
// Reads environment variables. An empty variable counts as not set.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace culprit {

std::optional<std::string> Variable(const char* name);

// Reads "0.5" or "1e3". None unless all of `text` is a finite number above 0.
std::optional<double> PositiveNumber(std::string_view text);

// The value, in seconds, of the variable `name`. `meaning` is for messages: "that an execution may take". Throws
// culprit::Error unless it is a number above 0 and at most 1e9.
std::optional<double> SecondsIn(const char* name, std::string_view meaning);

}  // namespace culprit
