// SPDX-License-Identifier: Apache-2.0
// Two recordings run at once, but only one may use the GPU at a time. `culprit versus` gives them turns.
#pragma once

namespace culprit {

class Turns {
 public:
  // Two descriptors. A byte read from `turn` begins a turn, a byte written to `done` ends it. -1: no turns, and every
  // call returns at once. Child processes inherit neither descriptor.
  Turns(int turn, int done);

  // Throws culprit::Error if the process that gives turns has ended.
  void Await();
  void Pass();

 private:
  int turn_, done_;
};

}  // namespace culprit
