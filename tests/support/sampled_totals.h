// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>
#include <vector>

#include "db/sampled_counters.h"

namespace culprit::testing {

struct Total {
  std::string_view id;
  double value = 0, error = 0;
};

// Sampled readings with these values.
inline std::vector<Reading> Totals(const std::vector<Total>& totals) {
  std::vector<Reading> readings;
  for (const Total& t : totals) readings.push_back({SampledMetric(t.id), t.value, ReadingStatus::kOk, t.error});
  return readings;
}

}  // namespace culprit::testing
