// SPDX-License-Identifier: Apache-2.0
// A process of ours beside a program that we start. It lives on when we are killed.
#pragma once
#include <sys/types.h>

#include <optional>

#include "bench/program/pipe.h"

namespace culprit {

// It kills the program and all processes below it when we die, and hands signals that we send it to all of them. A
// daemon that the program left behind is no longer below it, and lives on.
class Guard {
 public:
  Guard() = default;
  Guard(const Guard&) = delete;
  ~Guard() { End(); }

  // Before the program is forked, with signals blocked. errno where that failed, else 0. Throws where it has no pipe.
  int Start();
  // In the program, between fork and exec: from then on the guard knows it. errno where that failed, else 0.
  int Announce() const;
  // After the fork of the program.
  void ProgramIsForked() { program_.reset(); }
  // Before the program is waited for, so that the guard never sends anything to another process of that id.
  void End();
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = 0;
  std::optional<ProcessPipe> program_;  // into which the program writes its id
};

}  // namespace culprit
