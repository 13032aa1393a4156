// SPDX-License-Identifier: Apache-2.0
// The table of calibrated errors, analysis/causes/calibrated.csv.
#include "analysis/causes/calibrated.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace culprit;
  fuzz::Accepts([&] { ParseCalibration(fuzz::Text(data, size)); });
  return 0;
}
