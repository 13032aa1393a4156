// SPDX-License-Identifier: Apache-2.0
#include "tests/bank_patterns/dice.h"
#include "tests/bank_patterns/patterns.h"

namespace culprit::testing {
NamedLanes RandomPatterns(int bytes) {
  NamedLanes patterns;
  Dice dice(static_cast<unsigned>(bytes));
  const auto add = [&](const std::string& name, int count, auto address) {
    for (int i = 0; i < count; ++i) patterns.emplace_back(name + " " + std::to_string(i), EachLane(address));
  };
  for (const int window : {128, 256, 512, 1024, 8192})
    add("random in " + std::to_string(window) + " bytes", 8,
        [&](int) -> std::int64_t { return dice.Below(window / bytes) * bytes; });
  // Few conflicts: every lane stays in the column that it would have at stride 1.
  add("random row of the lane's column", 4,
      [&](int l) -> std::int64_t { return dice.Below(4) * 128 + l * bytes % 128; });
  add("random, some lanes inactive", 8,
      [&](int) -> std::int64_t { return dice.Below(4) == 0 ? kInactiveLane : dice.Below(1024 / bytes) * bytes; });
  add("random, most lanes inactive", 8,
      [&](int) -> std::int64_t { return dice.Below(4) != 0 ? kInactiveLane : dice.Below(512 / bytes) * bytes; });
  // Lanes that agree with a neighbour, in an otherwise random pattern.
  for (const int distance : {1, 2, 3, 4, 8, 16})
    for (int i = 0; i < 3; ++i) {
      Lanes lanes = EachLane([&](int) -> std::int64_t { return dice.Below(1024 / bytes) * bytes; });
      for (int l = 0; l < kWarpLanes; ++l) lanes[l] = distance == 3 ? lanes[l & ~3] : lanes[l & ~distance];
      const std::string name = distance == 3 ? "1+2" : std::to_string(distance);
      patterns.emplace_back("random, equal across " + name + " " + std::to_string(i), lanes);
    }
  // The rule of pairs holds for all lanes but a few.
  for (int i = 0; i < 4; ++i) {
    Lanes lanes = EachLane([&](int) -> std::int64_t { return dice.Below(1024 / bytes) * bytes; });
    for (int l = 0; l < kWarpLanes; ++l)
      if (l / 8 != i) lanes[l] = lanes[l & ~1];
    patterns.emplace_back("random, equal across 1 but for quarter " + std::to_string(i), lanes);
  }
  return patterns;
}

}  // namespace culprit::testing
