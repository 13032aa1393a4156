// SPDX-License-Identifier: Apache-2.0
#include "tests/bank_patterns/dice.h"
#include "tests/bank_patterns/patterns.h"

namespace culprit::testing {

NamedLanes RowPatterns(int rows) {
  NamedLanes patterns;
  const auto add = [&](const std::string& name, auto address) {
    patterns.emplace_back(name, EachLane([&](int l) -> std::int64_t { return l < rows ? address(l) : kInactiveLane; }));
  };
  for (const int row : {16, 32, 48, 64, 80, 96, 112, 128, 144, 256, 272, 512, 528})
    add("rows of " + std::to_string(row) + " bytes", [&](int l) { return l * row; });
  // A tile of 16 rows and two columns of 8 halves, and its transpose, in rows of halves with and without padding.
  for (const int row : {32, 64, 80, 128, 144, 256, 272}) {
    add("16x16 in rows of " + std::to_string(row) + " bytes", [&](int l) { return l % 16 * row + l / 16 * 16; });
    add("8x32 in rows of " + std::to_string(row) + " bytes", [&](int l) { return l % 8 * row + l / 8 * 16; });
  }
  add("64-byte rows swizzled by half the row", [](int l) { return l % 16 * 64 + ((l / 16) ^ (l / 2 % 4)) * 16; });
  add("128-byte rows swizzled by the row", [](int l) { return l % 16 * 128 + ((l / 16) ^ (l % 8)) * 16; });
  add("128-byte rows swizzled by half the row", [](int l) { return l % 16 * 128 + ((l / 16) ^ (l / 2 % 4)) * 16; });
  add("one row", [](int) { return 0; });
  add("matrices the same", [](int l) { return l % 8 * 16; });
  add("matrices in one place, each a row down", [](int l) { return l % 8 * 16 + l / 8 * 128; });
  add("rows equal across 1", [](int l) { return l / 2 * 16; });
  add("rows equal across 2", [](int l) { return ((l & 1) | (l >> 2) << 1) * 16; });
  add("rows equal across 4", [](int l) { return ((l & 3) | (l >> 3) << 2) * 16; });
  add("rows equal across 8", [](int l) { return ((l & 7) | (l >> 4) << 3) * 16; });
  add("rows equal across 1, one bank", [](int l) { return l / 2 * 128; });
  add("reversed", [&](int l) { return (rows - 1 - l) * 16; });
  add("transposed order", [&](int l) { return (l % 4 * (rows / 4) + l / 4) * 16; });
  add("one matrix in one bank, others dense", [](int l) { return l < 8 ? l * 128 : 1024 + l * 16; });

  Dice dice(static_cast<unsigned>(rows));
  for (const int window : {128, 256, 1024, 8192})
    for (int i = 0; i < 6; ++i)
      add("random rows in " + std::to_string(window) + " bytes " + std::to_string(i),
          [&](int) -> std::int64_t { return dice.Below(window / 16) * 16; });
  return patterns;
}

}  // namespace culprit::testing
