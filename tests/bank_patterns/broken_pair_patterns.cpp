// SPDX-License-Identifier: Apache-2.0
#include "tests/bank_patterns/dice.h"
#include "tests/bank_patterns/patterns.h"

namespace culprit::testing {
namespace {

// The same element for lanes i and i^2, dense.
int AcrossTwo(int lane) { return (lane & 1) | (lane >> 2) << 1; }

// Pairs of lanes of which some take no part: whether an absent lane, its place or its partner's address matters.
void AddAbsentLanes(int bytes, NamedLanes& patterns) {
  const auto add = [&](const std::string& name, auto active, auto element) {
    patterns.emplace_back(name, EachLane([&](int l) {
                            return active(l) ? static_cast<std::int64_t>(element(l)) * bytes : kInactiveLane;
                          }));
  };
  const int half = 128 / bytes;
  const std::pair<const char*, int (*)(int, int)> elements[] = {
      {"half the lane", [](int l, int) { return l / 2; }},
      {"half the lane, one on", [](int l, int) { return l / 2 + 1; }},
      {"half the lane, a row down", [](int l, int row) { return l / 2 + row; }},
      {"half the lane, backwards", [](int l, int) { return 15 - l / 2; }},
      {"half the lane, halves exchanged", [](int l, int) { return (l / 2) ^ 8; }},
      {"pairs across 2", [](int l, int) { return AcrossTwo(l); }},
  };
  for (const int absent : {0, 1, 2, 3, 8, 15, 16, 17, 24})
    for (const auto& [name, element] : elements)
      add(
          "all but lane " + std::to_string(absent) + ", " + name, [absent](int l) { return l != absent; },
          [&](int l) { return element(l, half); });
  for (const auto& [name, element] : elements) {
    add(
        std::string("odd lanes, ") + name, [](int l) { return l % 2 == 1; }, [&](int l) { return element(l, half); });
    add(
        std::string("even lanes, ") + name, [](int l) { return l % 2 == 0; }, [&](int l) { return element(l, half); });
    add(
        std::string("all but the first pair, ") + name, [](int l) { return l > 1; },
        [&](int l) { return element(l, half); });
    add(
        std::string("all but the first quarter, ") + name, [](int l) { return l > 7; },
        [&](int l) { return element(l, half); });
  }
  // Two lanes, one in each quarter of a half warp, that name neighbouring elements.
  for (const auto& [first, second] : {std::pair{0, 8}, {0, 9}, {1, 9}, {1, 8}, {2, 14}, {7, 15}, {17, 25}, {20, 31}})
    for (const auto& [a, b] : {std::pair{0, 1}, {1, 0}, {1, 2}, {half, half + 1}, {half + 1, 0}, {1, half}})
      add(
          "lane " + std::to_string(first) + " at " + std::to_string(a) + ", lane " + std::to_string(second) + " at " +
              std::to_string(b),
          [&](int l) { return l == first || l == second; }, [&](int l) { return l == first ? a : b; });
}

void AddRandom(int bytes, NamedLanes& patterns) {
  Dice dice(static_cast<unsigned>(bytes));
  // Pairs in a random order without conflicts, some lanes absent.
  for (const int distance : {1, 2})
    for (const int of_8 : {1, 2, 4, 6})
      for (int i = 0; i < 5; ++i) {
        const int mix = dice.Below(16);
        const int step = 2 * dice.Below(8) + 1;
        Lanes lanes = EachLane([&](int l) -> std::int64_t {
          const int pair = distance == 1 ? l / 2 : AcrossTwo(l);
          const bool absent = dice.Below(8) < of_8;
          return absent ? kInactiveLane : ((pair * step % 16) ^ mix) * bytes;
        });
        lanes[i] = lanes[i ^ distance] = mix * bytes;  // one pair is there
        patterns.emplace_back("random pairs across " + std::to_string(distance) + ", " + std::to_string(of_8) +
                                  "/8 absent " + std::to_string(i),
                              lanes);
      }
}

}  // namespace

NamedLanes BrokenPairPatterns(int bytes) {
  NamedLanes patterns;
  AddAbsentLanes(bytes, patterns);
  AddRandom(bytes, patterns);
  return patterns;
}

}  // namespace culprit::testing
