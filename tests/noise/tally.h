// SPDX-License-Identifier: Apache-2.0
// Verdicts on many pairs, counted.
#pragma once
#include <map>
#include <ostream>
#include <string>

#include "analysis/judge/difference/verdict.h"

namespace culprit::testing {

struct Tally {
  int pairs = 0;
  std::map<Speed, int> speeds;
  std::string wrong;  // the sentence of each pair that was not judged `expected`

  void Count(const Verdict& verdict, Speed expected, const std::string& pair) {
    ++pairs;
    ++speeds[verdict.speed];
    if (verdict.speed != expected)
      wrong += pair + ": " + std::string(ToText(verdict.speed)) + ": " + verdict.reason + "\n";
  }
  Tally& operator+=(const Tally& other) {
    pairs += other.pairs;
    for (const auto& [speed, count] : other.speeds) speeds[speed] += count;
    wrong += other.wrong;
    return *this;
  }
  double Share(Speed speed) const {
    const auto found = speeds.find(speed);
    return found == speeds.end() ? 0 : static_cast<double>(found->second) / pairs;
  }
  int Different() const {
    int different = 0;
    for (const auto& [speed, count] : speeds)
      if (IsDifference(speed)) different += count;
    return different;
  }
};

inline std::ostream& operator<<(std::ostream& out, const Tally& tally) {
  out << tally.pairs << " pairs:";
  for (const auto& [speed, count] : tally.speeds) out << " " << count << " " << ToText(speed);
  return out << "\n" << tally.wrong;
}

}  // namespace culprit::testing
