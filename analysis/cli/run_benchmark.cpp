// SPDX-License-Identifier: Apache-2.0
#include "analysis/cli/run_benchmark.h"

#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "db/error.h"

namespace culprit {

StartedProgram::StartedProgram(const std::vector<std::string>& words, const std::vector<int>& inherited)
    : name_(words.front()), child_(words, {.streams = {.out = STDERR_FILENO}, .inherited = inherited}) {
  if (const int signal = SignalsPassedOn::Received(); child_.error() == ECANCELED && signal != 0)
    throw Error(fmt::format("signal {} stopped it before {} was started.", signal, name_));
  if (child_.error() != 0)
    throw Error(fmt::format("cannot start {} ({}); name a benchmark program.", name_, std::strerror(child_.error())));
}

int StartedProgram::Await() {
  const int status = child_.Await();
  if (child_.signal() != 0) throw Error(fmt::format("signal {} stopped it while {} ran.", child_.signal(), name_));
  if (!WIFSIGNALED(status)) return WEXITSTATUS(status);
  throw Error(fmt::format("{} was ended by signal {}; run it by itself to see why.", name_, WTERMSIG(status)));
}

int RunProgram(const std::vector<std::string>& words) { return StartedProgram(words).Await(); }

}  // namespace culprit
