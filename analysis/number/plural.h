// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "analysis/number/format.h"

namespace culprit {

// "1 kernel", "1,200 kernels".
template <class Number>
std::string Plural(Number n, std::string_view one) {
  return fmt::format("{} {}{}", Format(static_cast<double>(n), Unit::kCount), one, n == 1 ? "" : "s");
}

}  // namespace culprit
