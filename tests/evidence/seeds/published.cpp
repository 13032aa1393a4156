// SPDX-License-Identifier: Apache-2.0
#include "tests/evidence/seeds/published.h"

namespace culprit {

std::optional<double> PublishedTable::Find(std::string_view stage, std::string_view metric, int size) const {
  for (const Published& row : rows)
    if (row.stage == stage && row.metric == metric && (size == 0 || row.size == size)) return row.value;
  return std::nullopt;
}

}  // namespace culprit
