// SPDX-License-Identifier: Apache-2.0
#include "bench/program/run_benchmark.h"

#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "bench/program/child.h"
#include "bench/program/pipe.h"

namespace culprit {
namespace {

class StartedProgram {
 public:
  // `inherited`: descriptors that it gets, by the same numbers.
  explicit StartedProgram(const std::vector<std::string>& words, const std::vector<int>& inherited = {})
      : name_(words.front()), child_(words, {.streams = {.out = STDERR_FILENO}, .inherited = inherited}) {
    if (const int signal = SignalsPassedOn::Received(); child_.error() == ECANCELED && signal != 0)
      throw Error(fmt::format("signal {} stopped it before {} was started.", signal, name_));
    if (child_.error() != 0)
      throw Error(fmt::format("cannot start {} ({}); name a benchmark program.", name_, std::strerror(child_.error())));
  }

  int Await() {
    const int status = child_.Await();
    if (child_.signal() != 0) throw Error(fmt::format("signal {} stopped it while {} ran.", child_.signal(), name_));
    if (!WIFSIGNALED(status)) return WEXITSTATUS(status);
    throw Error(fmt::format("{} was ended by signal {}; run it by itself to see why.", name_, WTERMSIG(status)));
  }

 private:
  std::string name_;
  Child child_;
};

class Player {
 public:
  explicit Player(std::vector<std::string> words) : words_(std::move(words)) {}
  Player(const Player&) = delete;
  // Waits for its program: without turns it ends when it asks for the next one.
  ~Player() { turn_.CloseWrite(); }

  // False when it ended instead.
  bool TakeTurn() {
    if (!program_) Start();
    // Our own reading end stays open, so that writing to a program that has ended raises no signal.
    if (::write(turn_.write(), "\n", 1) != 1) return false;
    char byte = 0;
    return ReadSome(done_.read(), &byte, 1) == 1;
  }

  int End() {
    turn_.CloseWrite();
    return program_ ? program_->Await() : -1;
  }

 private:
  void Start() {
    words_.push_back("--culprit-turn=" + std::to_string(turn_.read()));
    words_.push_back("--culprit-turn-done=" + std::to_string(done_.write()));
    program_.emplace(words_, std::vector<int>{turn_.read(), done_.write()});
    done_.CloseWrite();  // else we would never see its end
  }

  std::vector<std::string> words_;
  ProcessPipe turn_, done_;
  std::optional<StartedProgram> program_;
};

}  // namespace

int RunProgram(const std::vector<std::string>& words) { return StartedProgram(words).Await(); }

std::array<int, 2> RunInTurns(const std::array<std::vector<std::string>, 2>& words, int rounds,
                              const std::function<void()>& first_turn_over) {
  Player one(words[0]), other(words[1]);
  bool go_on = one.TakeTurn();
  first_turn_over();
  go_on = go_on && other.TakeTurn();
  for (int round = 1; go_on && round < rounds; ++round) {
    const bool turned = round % 2 != 0;
    go_on = (turned ? other : one).TakeTurn() && (turned ? one : other).TakeTurn();
  }
  go_on = go_on && one.TakeTurn() && other.TakeTurn();
  const int first = one.End();
  return {first, other.End()};
}

}  // namespace culprit
