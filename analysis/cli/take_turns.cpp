// SPDX-License-Identifier: Apache-2.0
#include "analysis/cli/take_turns.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <utility>

#include "analysis/cli/run_benchmark.h"
#include "db/error.h"

namespace culprit {
namespace {

class Pipe {
 public:
  Pipe() {
    if (pipe2(ends_, O_CLOEXEC) != 0) throw Error("cannot make a pipe for a process: close some files and try again");
  }
  Pipe(const Pipe&) = delete;
  ~Pipe() {
    CloseWrite();
    close(ends_[0]);
  }
  int read() const { return ends_[0]; }
  int write() const { return ends_[1]; }
  void CloseWrite() {
    if (ends_[1] >= 0) close(std::exchange(ends_[1], -1));
  }

 private:
  int ends_[2];
};

class Player {
 public:
  explicit Player(std::vector<std::string> words) : words_(std::move(words)) {}
  Player(const Player&) = delete;
  // Its program is awaited when this goes: without turns it ends when it asks for the next one.
  ~Player() { turn_.CloseWrite(); }

  // False when it ended instead.
  bool TakeTurn() {
    if (!program_) Start();
    // Our own reading end stays open, so that writing to a program that has ended raises no signal.
    if (::write(turn_.write(), "\n", 1) != 1) return false;
    char byte = 0;
    ssize_t got = 0;
    do got = ::read(done_.read(), &byte, 1);
    while (got < 0 && errno == EINTR);
    return got == 1;
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
  Pipe turn_, done_;
  std::optional<StartedProgram> program_;
};

}  // namespace

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
