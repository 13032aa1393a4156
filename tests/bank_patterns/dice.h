// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <random>

namespace culprit::testing {

// The same numbers everywhere: the standard fixes the engine, not its distributions.
class Dice {
 public:
  explicit Dice(unsigned seed) : engine_(seed) {}
  int Below(int limit) { return static_cast<int>(engine_() % static_cast<unsigned>(limit)); }

 private:
  std::mt19937 engine_;
};

}  // namespace culprit::testing
