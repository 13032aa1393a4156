// SPDX-License-Identifier: Apache-2.0
// The table of calibrated errors, analysis/gain/calibrated.csv.
#include "analysis/gain/calibrated.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace culprit;
  fuzz::Accepts([&] { ParseCalibration(fuzz::Text(data, size)); });
  return 0;
}
