// SPDX-License-Identifier: Apache-2.0
#include "bench/turns.h"

#include "bench/program/pipe.h"

namespace culprit {

Turns::Turns(int turn, int done) : turn_(turn), done_(done) {
  for (const int descriptor : {turn_, done_})
    if (descriptor >= 0) fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

void Turns::Await() {
  if (turn_ < 0) return;
  char byte = 0;
  if (ReadSome(turn_, &byte, 1) != 1)
    throw Error("the process that gives turns has ended: this recording stays unfinished");
}

void Turns::Pass() {
  if (done_ >= 0 && !WriteAll(done_, "\n"))
    throw Error("the process that gives turns has ended: this recording stays unfinished");
}

}  // namespace culprit
