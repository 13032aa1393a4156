// SPDX-License-Identifier: Apache-2.0
// Patterns for `culprit banks`, one a line, drawn and judged as accesses of one array. The first byte chooses the rest.
#include <array>
#include <sstream>

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/in_process.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace culprit::fuzz;
  if (size == 0) return 0;
  constexpr std::array kOps = {"ld", "st", "ldmatrix", "stmatrix"};
  constexpr std::array kBytes = {"4", "8", "16", "4"};
  constexpr std::array kRowBytes = {"0", "64", "128", "256", "4096", "1048576", "100", "1"};
  std::vector<std::string> args{"banks", "--op", kOps[data[0] & 3], "--bytes", kBytes[data[0] >> 2 & 3]};
  if (data[0] >> 5 != 0) args.insert(args.end(), {"--row-bytes", kRowBytes[data[0] >> 5]});
  constexpr int kMostPatterns = 3;  // proposing a layout for many is slow, not dangerous
  std::istringstream lines{std::string(Text(data + 1, size - 1))};
  std::string pattern;
  for (int i = 0; i < kMostPatterns && std::getline(lines, pattern); ++i) args.push_back("--pattern=" + pattern);
  RunCulprit(args);
  return 0;
}
