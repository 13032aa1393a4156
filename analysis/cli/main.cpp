// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <iostream>
#include <new>
#include <sstream>
#include <string>
#include <vector>

#include "analysis/cli/culprit.h"
#include "analysis/cli/version.h"
#include "bench/build_info.h"
#include "bench/program/pipe.h"

int main(int argc, char** argv) try {
  // The reader of a pipe may leave early (`culprit report | head`): that is its right, and no error of ours.
  std::signal(SIGPIPE, SIG_IGN);
  // Beyond `ulimit -f` a write fails then, as on a full disk, and we can say so.
  std::signal(SIGXFSZ, SIG_IGN);
  culprit::NoteCommit(culprit::kGitSha, culprit::kGitDirty);
  std::ostringstream out;
  const int status =
      culprit::Main(std::vector<std::string>(argv + 1, argv + argc), out, std::cerr, ::isatty(STDOUT_FILENO) == 1);
  if (!culprit::WriteAll(STDOUT_FILENO, out.view()) && errno != EPIPE) {
    culprit::Complain(std::string("cannot write the result: ") + std::strerror(errno) + "; send it somewhere else.",
                      std::cerr);
    return 2;
  }
  return status;
} catch (const std::bad_alloc&) {
  std::cerr
      << "culprit: out of memory: ask about less (--run, --shape, a LIMIT in the query), or where there is more.\n";
  return 2;
} catch (const std::exception& error) {
  culprit::Complain(
      std::string("this is a bug in culprit: ") + error.what() + "; please report it with the command that you ran.",
      std::cerr);
  return 2;
}
