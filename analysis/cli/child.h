// SPDX-License-Identifier: Apache-2.0
// A process that we start. Signals that would end us go to it and to all below it instead; when we are killed, all of
// them are.
#pragma once
#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

#include "analysis/cli/guard.h"

namespace culprit {

// While it lives, signals that would end us go to the programs that we started instead, and to all below them. Where
// none runs the first signal is only taken note of: whoever starts processes stops then, and keeps what there is. A
// second one ends us.
class SignalsPassedOn {
 public:
  SignalsPassedOn();
  ~SignalsPassedOn();
  SignalsPassedOn(const SignalsPassedOn&) = delete;
  // The first one that came; 0: none.
  static int Received();
};

// What stands in place of our own streams; -1: nothing does.
struct OtherStreams {
  int in = -1, out = -1, err = -1;
};

struct ChildOptions {
  std::map<std::string, std::string> variables = {};  // added to its environment
  OtherStreams streams = {};
  std::vector<int> inherited = {};  // descriptors that it gets, by the same numbers
};

// Only the main thread may start one: the end of the thread that started it looks like our end.
class Child {
 public:
  // `words`: its path or name, then its arguments. After a signal (SignalsPassedOn) nothing is started any more.
  explicit Child(const std::vector<std::string>& words, const ChildOptions& options = {});
  ~Child();  // waits for its end
  Child(const Child&) = delete;

  // Why it was not started, as errno has it, ECANCELED after a signal; 0: it was.
  int error() const { return error_; }
  pid_t pid() const { return pid_; }
  bool HasEnded() const;
  // Waits for its end; its status as waitpid gives it.
  int Await();
  // Does not wait: for a process that cannot be killed. 0 where it has not ended.
  int LetGo();
  // The signal that had come by the time at which one of these returned (SignalsPassedOn); 0: none.
  int signal() const { return signal_; }

 private:
  int Reap(int options);

  Guard guard_;
  pid_t pid_ = 0;
  int error_ = 0, signal_ = 0;
};

}  // namespace culprit
