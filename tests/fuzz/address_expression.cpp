// SPDX-License-Identifier: Apache-2.0
// The C expressions that `culprit banks --pattern` evaluates for a lane.
#include "analysis/banks/address_expression.h"

#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace culprit;
  for (const int lane : {0, 1, 31}) fuzz::Accepts([&] { EvaluateAddress(fuzz::Text(data, size), lane); });
  return 0;
}
