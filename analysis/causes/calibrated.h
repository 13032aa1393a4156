// SPDX-License-Identifier: Apache-2.0
// The errors of the estimates that are shown to users: calibrated.csv, which script/update-docs makes from the runs in
// db/recorded with `culprit calibrate`, and which is part of the binary.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace culprit {

struct CalibratedError {
  std::string cause;
  int experiments = 0;  // edges, see CauseError; 0 where only `alone` has some, and then without a ratio
  double median_ratio = 0, worst_factor = 0;
  std::optional<double> error_factor;  // none below kLeastExperiments
  // Over every edge on which only this cause went away, outweighed ones included; see CauseError::alone.
  int alone = 0;
  std::optional<double> alone_factor;
  std::string runs;  // "056be927", space-separated
};

// In the order of the file.
const std::vector<CalibratedError>& CalibratedErrors();
// Null for a cause that no edge has tested.
const CalibratedError* FindCalibratedError(std::string_view cause);

// The columns that it reads, by their keys in any order; others are passed over, and so are rows without any edge.
// Throws culprit::Error when one is missing.
std::vector<CalibratedError> ParseCalibration(std::string_view csv);

}  // namespace culprit
