// SPDX-License-Identifier: Apache-2.0
// Verdicts on many pairs, counted.
#pragma once
#include <map>
#include <ostream>
#include <string>

#include "analysis/verdict/verdict.h"

namespace culprit::testing {

struct Tally {
  int pairs = 0;
  std::map<Outcome, int> outcomes;
  std::string wrong;  // the sentence of each pair that was not judged `expected`

  void Count(const SpeedVerdict& verdict, Outcome expected, const std::string& pair) {
    ++pairs;
    ++outcomes[verdict.outcome];
    if (verdict.outcome != expected)
      wrong += pair + ": " + std::string(ToText(verdict.outcome)) + ": " + verdict.reason + "\n";
  }
  Tally& operator+=(const Tally& other) {
    pairs += other.pairs;
    for (const auto& [outcome, count] : other.outcomes) outcomes[outcome] += count;
    wrong += other.wrong;
    return *this;
  }
  double Share(Outcome outcome) const {
    const auto found = outcomes.find(outcome);
    return found == outcomes.end() ? 0 : static_cast<double>(found->second) / pairs;
  }
};

inline std::ostream& operator<<(std::ostream& out, const Tally& tally) {
  out << tally.pairs << " pairs:";
  for (const auto& [outcome, count] : tally.outcomes) out << " " << count << " " << ToText(outcome);
  return out << "\n" << tally.wrong;
}

}  // namespace culprit::testing
