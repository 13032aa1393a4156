// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "analysis/cli/culprit.h"

namespace {

// 0, or errno of the write that failed.
int WriteAll(const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t wrote = ::write(STDOUT_FILENO, text.data() + done, text.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return errno;
    done += static_cast<std::size_t>(wrote);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  // The reader of a pipe may leave early (`culprit report | head`): that is its right, and no error of ours.
  std::signal(SIGPIPE, SIG_IGN);
  // A file that may not grow (ulimit -f) is a write that fails, which whoever writes has a sentence for.
  std::signal(SIGXFSZ, SIG_IGN);
  std::ostringstream out;
  const int status =
      culprit::Main(std::vector<std::string>(argv + 1, argv + argc), out, std::cerr, ::isatty(STDOUT_FILENO) == 1);
  if (const int error = WriteAll(out.str()); error != 0 && error != EPIPE) {
    std::cerr << "culprit: cannot write the result: " << std::strerror(error) << "; send it somewhere else.\n";
    return 2;
  }
  return status;
} catch (const std::exception& error) {
  std::cerr << "culprit: this is a bug in culprit: " << error.what()
            << "; please report it with the command that you ran.\n";
  return 2;
}
