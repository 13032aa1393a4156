// SPDX-License-Identifier: Apache-2.0
#include "analysis/cli/percent.h"

#include <fmt/core.h>

#include <charconv>
#include <cmath>
#include <string_view>

#include "db/error.h"

namespace culprit {

double ParsePercent(const char* option, const std::string& text) {
  double percent = 0;
  const char* const end = text.data() + text.size();
  const auto [next, error] = std::from_chars(text.data(), end, percent);
  const std::string_view rest(next, static_cast<std::size_t>(end - next));
  if (error != std::errc() || !(rest.empty() || rest == "%" || rest == " %") || !std::isfinite(percent) || percent < 0)
    throw Error(fmt::format("{} takes a percentage from 0 on, such as 2%, not '{}'.", option, text));
  return percent / 100;
}

}  // namespace culprit
