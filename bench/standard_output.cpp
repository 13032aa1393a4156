// SPDX-License-Identifier: Apache-2.0
#include "bench/standard_output.h"

#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <iostream>

#include "db/error.h"

namespace culprit {
namespace {

bool ReaderLeft() {
  pollfd out{STDOUT_FILENO, 0, 0};
  return ::poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

}  // namespace

void LetReadersLeave() { std::signal(SIGPIPE, SIG_IGN); }

void FinishStandardOutput() {
  std::cout.flush();
  std::fflush(stdout);
  const bool arrived = std::cout.good() && std::ferror(stdout) == 0;
  if (!arrived && !ReaderLeft())
    throw Error("cannot write to standard output: send it where there is room, not to a full disk");
}

}  // namespace culprit
