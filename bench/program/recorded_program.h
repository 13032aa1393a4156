// SPDX-License-Identifier: Apache-2.0
// Runs an unmodified program as if it were not recorded: with its own input, output, signals and exit status.
#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/program/child.h"
#include "bench/program/pipe.h"

namespace culprit {

struct ProgramEnd {
  // The program's exit status, or 128 + signal. 127: there is no such program. 126: it cannot be run. Also 128 + signal
  // if we got that signal before the start (SignalsPassedOn).
  int status = 0;
  std::string not_started;  // why it was not started; empty: it ran
  double wall_us = 0;
  bool was_ended = false;  // we ended it, because it exceeded its time limit
  bool goes_on = false;    // it still runs; `status` means nothing
  int signal = 0;          // a signal that we got before its end (SignalsPassedOn); 0: none
};

// As a shell has it: 128 + the signal that ended a process. `status`: from waitpid.
int ShellStatus(int status);

struct TimeLimit {
  double seconds = 0;
  std::filesystem::path traces;  // which processes to end, see EndProgram
};

// When to return although the program still runs.
struct Leaving {
  std::function<bool()> is_time;      // asked every 50 ms
  bool has_own_group = false;         // ChildOptions
  std::unique_ptr<Child> child = {};  // then: the program
};

// `words`: its path or name, then its arguments. `variables` are added to its environment. Without `limit`, its time is
// not limited.
ProgramEnd RunAsItIs(const std::vector<std::string>& words, const std::map<std::string, std::string>& variables,
                     const OtherStreams& streams = {}, const std::optional<TimeLimit>& limit = {},
                     Leaving* leaving = nullptr);

// The output of a helper program: git, nvidia-smi.
struct Answer {
  int status = 0;                     // ProgramEnd::status
  std::string not_started;            // why it was not started; empty: it ran
  std::vector<std::string> out, err;  // lines

  std::string WhyNot() const;  // if the status is not 0: a phrase that says why
};
// Runs a helper program without input, for at most `limit_s`.
Answer Ask(const std::vector<std::string>& words, double limit_s = 60);

// Gives our standard input to a further execution. Construct it before the first execution.
class InputAgain {
 public:
  InputAgain();
  InputAgain(const InputAgain&) = delete;
  // Call after the first execution. Returns the input's descriptor for a further execution, valid until the next call.
  // None if the input is lost, because it was a pipe that was read. For a terminal or an unread pipe, the input is
  // empty.
  std::optional<int> Descriptor();

 private:
  bool is_file_ = false, was_at_end_ = false;
  long offset_ = 0;
  int waiting_ = 0;  // bytes in a pipe
  OpenFile descriptor_;
};

}  // namespace culprit
