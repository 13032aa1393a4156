// SPDX-License-Identifier: Apache-2.0
#include "tests/bank_patterns/patterns.h"

namespace culprit::testing {
namespace {

// `lane` without its bits in `mask`, the others moved together: lanes that differ only in these bits agree.
int WithoutBits(int lane, int mask) {
  int packed = 0;
  for (int bit = 0, to = 0; bit < 5; ++bit)
    if ((mask >> bit & 1) == 0) packed |= (lane >> bit & 1) << to++;
  return packed;
}

std::string BitNames(int mask) {
  std::string text;
  for (int bit = 0; bit < 5; ++bit)
    if (mask >> bit & 1) text += (text.empty() ? "" : "+") + std::to_string(1 << bit);
  return text;
}

// Lanes i and i^m equal, for every set of bits m: dense, with gaps, and in one bank.
void AddEqualLanes(int bytes, NamedLanes& patterns) {
  for (int mask = 1; mask < 32; ++mask) {
    const std::string name = "lanes equal across " + BitNames(mask);
    patterns.emplace_back(name, EachLane([&](int l) { return WithoutBits(l, mask) * bytes; }));
    if ((mask & (mask - 1)) != 0) continue;
    patterns.emplace_back(name + ", gaps", EachLane([&](int l) { return (l & ~mask) * bytes; }));
    patterns.emplace_back(name + ", 2 apart", EachLane([&](int l) { return WithoutBits(l, mask) * 2 * bytes; }));
    patterns.emplace_back(name + ", one bank", EachLane([&](int l) { return WithoutBits(l, mask) * 128; }));
  }
}

// Groups of lanes that each follow a rule of their own: where does the hardware decide?
void AddMixed(int bytes, NamedLanes& patterns) {
  const auto pair = [](int l) { return l / 2; };
  const auto skip = [](int l) { return WithoutBits(l, 2); };
  const auto add = [&](const char* name, auto element) {
    patterns.emplace_back(name, EachLane([&](int l) { return static_cast<std::int64_t>(element(l)) * bytes; }));
  };
  add("first half by 1, second plain", [&](int l) { return l < 16 ? pair(l) : l; });
  add("first half plain, second by 1", [&](int l) { return l < 16 ? l : 16 + pair(l - 16); });
  add("first half by 2, second plain", [&](int l) { return l < 16 ? skip(l) : l; });
  add("first half by 1, second by 2", [&](int l) { return l < 16 ? pair(l) : 8 + skip(l - 16); });
  add("first half by 2, second by 1", [&](int l) { return l < 16 ? skip(l) : 8 + pair(l - 16); });
  add("halves the same, first by 1, second by 2", [&](int l) { return l < 16 ? pair(l) : skip(l - 16); });
  add("even quarters by 1, odd by 2", [&](int l) { return l / 16 * 8 + (l % 16 < 8 ? pair(l % 8) : 4 + skip(l % 8)); });
  add("even quarters by 1, odd plain", [&](int l) { return l / 16 * 16 + (l % 16 < 8 ? pair(l % 8) : l % 8 + 4); });
  add("one pair of lanes differs", [&](int l) { return l == 31 ? 16 : pair(l); });
  add("one pair of the first half differs", [&](int l) { return l == 3 ? 16 : pair(l); });
  add("all but the last lane the same word", [&](int l) { return l == 31 ? 1 : 0; });
  add("half warps in one place, the second a row down", [&](int l) { return l % 16 + l / 16 * 128 / bytes; });
  add("half warps in one place, the second 256 bytes down", [&](int l) { return l % 16 + l / 16 * 256 / bytes; });
  add("quarters in one place, each a row down", [&](int l) { return l % 8 + l / 8 * 128 / bytes; });
  add("half warps of stride 2, interleaved", [&](int l) { return l % 16 * 2 + l / 16; });
  add("half warps of stride 2, each half 256 bytes apart", [&](int l) { return l % 16 * 2 + l / 16 * 256 / bytes; });
  add("pairs by 1 a row apart", [&](int l) { return pair(l) + pair(l) % 2 * 128 / bytes; });
  add("quads a row apart", [&](int l) { return l / 4 + l / 4 % 2 * 128 / bytes; });
  for (const int period : {2, 4, 8})
    patterns.emplace_back("lane modulo " + std::to_string(period) + " in one bank",
                          EachLane([&](int l) { return l % period * 128; }));
  for (const int run : {4, 8, 16})
    patterns.emplace_back("lane by " + std::to_string(run) + " in one bank",
                          EachLane([&](int l) { return l / run * 128; }));
}

void AddInactive(int bytes, NamedLanes& patterns) {
  const auto add = [&](const std::string& name, auto active, auto element) {
    patterns.emplace_back(name, EachLane([&](int l) {
                            return active(l) ? static_cast<std::int64_t>(element(l)) * bytes : kInactiveLane;
                          }));
  };
  const auto plain = [](int l) { return l; };
  const auto half = [](int l) { return l / 2; };
  const auto rows = [bytes](int l) { return l * 128 / bytes; };
  const std::pair<const char*, bool (*)(int)> masks[] = {
      {"lane 0 only", [](int l) { return l == 0; }},
      {"lane 31 only", [](int l) { return l == 31; }},
      {"lanes 0 and 1", [](int l) { return l < 2; }},
      {"lanes 0 and 2", [](int l) { return l == 0 || l == 2; }},
      {"lanes 0 and 4", [](int l) { return l == 0 || l == 4; }},
      {"lanes 0 and 15", [](int l) { return l == 0 || l == 15; }},
      {"lanes 0 and 16", [](int l) { return l == 0 || l == 16; }},
      {"lanes 15 and 16", [](int l) { return l == 15 || l == 16; }},
      {"lanes 0 and 31", [](int l) { return l == 0 || l == 31; }},
      {"even lanes", [](int l) { return l % 2 == 0; }},
      {"odd lanes", [](int l) { return l % 2 == 1; }},
      {"every 4th lane", [](int l) { return l % 4 == 0; }},
      {"every 8th lane", [](int l) { return l % 8 == 0; }},
      {"lanes without bit 2", [](int l) { return (l & 2) == 0; }},
      {"lanes without bit 4", [](int l) { return (l & 4) == 0; }},
      {"even quarters", [](int l) { return l / 8 % 2 == 0; }},
      {"first quarter", [](int l) { return l < 8; }},
      {"second quarter", [](int l) { return l / 8 == 1; }},
      {"first half", [](int l) { return l < 16; }},
      {"second half", [](int l) { return l >= 16; }},
      {"all but lane 0", [](int l) { return l != 0; }},
      {"all but lane 31", [](int l) { return l != 31; }},
      {"all but the last quarter", [](int l) { return l < 24; }},
  };
  for (const auto& [name, active] : masks) {
    add(std::string(name) + ", plain", active, plain);
    add(std::string(name) + ", half the lane", active, half);
    add(std::string(name) + ", one bank", active, rows);
  }
}

}  // namespace

NamedLanes MergingPatterns(int bytes) {
  NamedLanes patterns{{"one word", EachLane([](int) { return 0; })}};
  AddEqualLanes(bytes, patterns);
  AddMixed(bytes, patterns);
  AddInactive(bytes, patterns);
  return patterns;
}

}  // namespace culprit::testing
