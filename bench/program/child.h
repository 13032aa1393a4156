// SPDX-License-Identifier: Apache-2.0
// Starts a process. All processes that culprit needs are started here. Signals that would end us go to the process and
// its descendants instead. If we are killed, they are killed, too.
#pragma once
#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

#include "bench/program/guard.h"

namespace culprit {

// While such an object exists, signals that would end us go to the programs that we started and to all their
// descendants. If no such program runs, we only note the first signal; our code then starts no more processes and keeps
// the results so far. A second signal ends us. A second SIGINT ends us at once also while a program runs; its guard then
// ends the program.
class SignalsPassedOn {
 public:
  // `keeps_interrupts`: SIGINT is for us alone, and is not passed on.
  explicit SignalsPassedOn(bool keeps_interrupts = false);
  ~SignalsPassedOn();
  SignalsPassedOn(const SignalsPassedOn&) = delete;
  // The first signal that we got; 0: none.
  static int Received();
};

// Replacements for our own streams; -1: none.
struct OtherStreams {
  int in = -1, out = -1, err = -1;
};

struct ChildOptions {
  std::string file = {};                              // the file to run; empty: the first word, found as in a shell
  std::map<std::string, std::string> variables = {};  // added to its environment
  OtherStreams streams = {};
  std::vector<int> inherited = {};  // descriptors that it inherits under the same numbers
  // true: all its descendants end with us and get the signals that we pass on. false: only the process itself is killed
  // with us. This is enough for our own programs and needs no guard process.
  bool is_guarded = true;
  // Makes it the leader of a process group, so that keys of the terminal (Ctrl-C) reach us and not the program.
  bool has_own_group = false;
};

// Only the main thread may start a child, because the end of the starting thread looks like our end.
class Child {
 public:
  // `words`: its path or name, then its arguments. Nothing is started after a signal (SignalsPassedOn).
  explicit Child(const std::vector<std::string>& words, const ChildOptions& options = {});
  ~Child();  // waits for the process
  Child(const Child&) = delete;

  // If it was not started: an errno, which is ECANCELED after a signal. 0: it was started.
  int error() const { return error_; }
  pid_t pid() const { return pid_; }
  bool HasEnded() const;
  // Waits for its end. Returns its status from waitpid.
  int Await();
  // The same without waiting. Returns 0 if it has not ended: then it goes on running, also when we end.
  int LetGo();
  // The signal that we got before one of these returned (SignalsPassedOn); 0: none.
  int signal() const { return signal_; }

 private:
  int Reap(int options);

  Guard guard_;
  pid_t pid_ = 0;
  int error_ = 0, signal_ = 0;
};

}  // namespace culprit
