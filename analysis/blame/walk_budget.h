// SPDX-License-Identifier: Apache-2.0
// How far the walks through the code of one function may go, all of them together. Each instruction may ask for a walk
// through all of the code. In code that a compiler wrote most walks are short; in code that a file may hold they
// would take the square of its size.
#pragma once
#include <cstdint>

namespace culprit {

class WalkBudget {
 public:
  // What an instruction costs that is held against sets of registers, in instructions that are only visited.
  static constexpr std::int64_t kWithRegisters = 32;

  // So many instructions more. False: no further, and whoever asked goes on with what was found.
  bool Take(std::int64_t instructions = 1) {
    left_ -= instructions;
    return left_ >= 0;
  }

 private:
  std::int64_t left_ = std::int64_t{1} << 25;  // about a second
};

}  // namespace culprit
