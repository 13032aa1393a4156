// SPDX-License-Identifier: Apache-2.0
#include "analysis/cli/run_benchmark.h"

#include <fmt/core.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "db/error.h"

namespace culprit {

int RunProgram(const std::vector<std::string>& words) {
  std::vector<char*> args;
  for (const std::string& word : words) args.push_back(const_cast<char*>(word.c_str()));
  args.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  pid_t pid = 0;
  const int failed = posix_spawnp(&pid, args.front(), &actions, nullptr, args.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0)
    throw Error(fmt::format("cannot start {} ({}); name a benchmark program.", words.front(), std::strerror(failed)));
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status))
    throw Error(
        fmt::format("{} was ended by signal {}; run it by itself to see why.", words.front(), WTERMSIG(status)));
  return WEXITSTATUS(status);
}

}  // namespace culprit
