// SPDX-License-Identifier: Apache-2.0
#include "analysis/cli/run_benchmark.h"

#include <fmt/core.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "db/error.h"

namespace culprit {
namespace {

// As waitpid gives it; once per process.
int Reap(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

StartedProgram::StartedProgram(std::vector<std::string> words, const std::vector<int>& inherited)
    : name_(words.front()) {
  std::vector<char*> args;
  for (std::string& word : words) args.push_back(word.data());
  args.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  for (const int descriptor : inherited)  // onto itself: inherited, by that number
    posix_spawn_file_actions_adddup2(&actions, descriptor, descriptor);
  const int failed = posix_spawnp(&pid_, args.front(), &actions, nullptr, args.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0)
    throw Error(fmt::format("cannot start {} ({}); name a benchmark program.", name_, std::strerror(failed)));
}

StartedProgram::~StartedProgram() {
  if (pid_ > 0) Reap(pid_);
}

int StartedProgram::Await() {
  const int status = Reap(std::exchange(pid_, 0));
  if (WIFSIGNALED(status))
    throw Error(fmt::format("{} was ended by signal {}; run it by itself to see why.", name_, WTERMSIG(status)));
  return WEXITSTATUS(status);
}

int RunProgram(const std::vector<std::string>& words) { return StartedProgram(words).Await(); }

}  // namespace culprit
