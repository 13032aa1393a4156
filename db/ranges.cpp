// SPDX-License-Identifier: Apache-2.0
#include "db/ranges.h"

#include <fmt/format.h>

namespace culprit {

std::string Shown(double value) { return fmt::format("{}", value); }

BadNumber::BadNumber(const NumberRange& range, std::string_view found, std::string_view where)
    : std::runtime_error(fmt::format("{}.{}{} is {}, which is not within {} to {}", range.table, range.column, where,
                                     found, Shown(range.least), Shown(range.most))) {}

}  // namespace culprit
