// SPDX-License-Identifier: Apache-2.0
// A file of 32 addresses for `culprit banks --addresses`. The first byte chooses the operation and the width.
#include <array>

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/in_process.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace culprit::fuzz;
  if (size == 0) return 0;
  constexpr std::array kOps = {"ld", "st", "ldmatrix", "stmatrix"};
  constexpr std::array kBytes = {"4", "8", "16", "3"};
  RunCulprit({"banks", "--addresses", AsFile(Text(data + 1, size - 1)), "--op", kOps[data[0] & 3], "--bytes",
              kBytes[data[0] >> 2 & 3], "--format", data[0] & 16 ? "json" : "text"});
  return 0;
}
