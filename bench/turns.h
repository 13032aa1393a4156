// SPDX-License-Identifier: Apache-2.0
// Two recordings at a time on one GPU, of which only one may use it: `culprit versus` tells each when it is its turn.
#pragma once

namespace culprit {

class Turns {
 public:
  // A byte on `turn` begins a turn, one on `done` ends it. -1: nobody waits, and every call returns at once. What this
  // process starts does not inherit either.
  Turns(int turn, int done);

  // Throws culprit::Error when whoever gives turns is gone.
  void Await();
  void Pass();

 private:
  int turn_, done_;
};

}  // namespace culprit
