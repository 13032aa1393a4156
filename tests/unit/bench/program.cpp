// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/bench/program.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>
#include <string_view>

#include "tests/support/scratch.h"

namespace culprit {

Ended RunWithoutGpu(const std::string& file, const std::vector<std::string>& args) {
  const Scratch scratch;
  const std::string out = scratch / "out", err = scratch / "err";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), O_WRONLY | O_CREAT, 0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), O_WRONLY | O_CREAT, 0600);

  std::vector<std::string> words{file};
  words.insert(words.end(), args.begin(), args.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  std::string hidden = "CUDA_VISIBLE_DEVICES=-1";
  std::vector<char*> environment{hidden.data()};
  for (char** variable = environ; *variable != nullptr; ++variable)
    if (!std::string_view(*variable).starts_with("CUDA_VISIBLE_DEVICES=")) environment.push_back(*variable);
  environment.push_back(nullptr);

  pid_t pid = 0;
  const int failed = posix_spawn(&pid, file.c_str(), &actions, nullptr, argv.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw std::runtime_error("cannot start " + file);
  int status = 0;
  waitpid(pid, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, Bytes(out), Bytes(err)};
}

}  // namespace culprit
