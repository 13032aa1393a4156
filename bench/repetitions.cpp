// SPDX-License-Identifier: Apache-2.0
#include "bench/repetitions.h"

#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "bench/sample_marks.h"

namespace culprit {

std::vector<Reading> Medians(const Repetitions& repetitions) {
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
