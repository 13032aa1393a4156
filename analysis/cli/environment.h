// SPDX-License-Identifier: Apache-2.0
// What environment variables say. One that is empty says nothing.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace culprit {

std::optional<std::string> Variable(const char* name);

// "0.5", "1e3": all of `text` is a finite number above 0.
std::optional<double> PositiveNumber(std::string_view text);

// Of the variable `name`, which is seconds. `meaning`: "that an execution may take". Throws culprit::Error where it
// says anything else than a number from above 0 to 1e9.
std::optional<double> SecondsIn(const char* name, std::string_view meaning);

}  // namespace culprit
