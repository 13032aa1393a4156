// SPDX-License-Identifier: Apache-2.0
#include "db/medians.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <utility>

namespace culprit {

double Median(std::vector<double> values) {
  if (values.empty()) return std::nan("");
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

std::vector<Reading> Medians(std::span<const std::vector<Reading>> repetitions) {
  std::vector<Reading> medians;
  std::map<std::pair<std::string, std::string>, std::vector<double>> read;  // by id and source
  for (const std::vector<Reading>& readings : repetitions)
    for (const Reading& reading : readings) {
      auto [values, is_new] = read.try_emplace({reading.metric.id, reading.metric.source});
      if (is_new) medians.push_back(reading);
      if (reading.value && !std::isnan(*reading.value)) values->second.push_back(*reading.value);
    }
  for (Reading& median : medians) {
    std::vector<double>& values = read[{median.metric.id, median.metric.source}];
    if (!values.empty()) median = {median.metric, Median(std::move(values)), ReadingStatus::kOk};
  }
  return medians;
}

}  // namespace culprit
