// SPDX-License-Identifier: Apache-2.0
// A program that is not ours, run as if nobody watched: its input, output, signals and end are its own.
#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/cli/child.h"

namespace culprit {

struct ProgramEnd {
  // Of its exit, 128 + signal; 127 where there is no such program, 126 where it cannot be run. 128 + signal, too, where
  // we had got that signal (SignalsPassedOn) before it was started.
  int status = 0;
  std::string not_started;  // why; empty: it ran
  double wall_us = 0;
  bool was_ended = false;  // by us: it took longer than it may
  int signal = 0;          // that came to us before its end (SignalsPassedOn); 0: none
};

struct TimeLimit {
  double seconds = 0;
  std::filesystem::path traces;  // names its processes (EndProgram); empty: all below it
};

// `words`: its path or name, then its arguments. `variables` are added to its environment. Without `limit` it takes as
// long as it takes.
ProgramEnd RunAsItIs(const std::vector<std::string>& words, const std::map<std::string, std::string>& variables,
                     const OtherStreams& streams = {}, const std::optional<TimeLimit>& limit = {});

// Our standard input, to be read a second time by another execution. Made before the first.
class InputAgain {
 public:
  InputAgain();
  ~InputAgain();
  InputAgain(const InputAgain&) = delete;
  // After the first execution: the descriptor for another one, until this is called again; none where the input is
  // gone, as a pipe's is. What says nothing by itself (a terminal, an idle pipe) has ended for it.
  std::optional<int> Descriptor();

 private:
  bool is_file_ = false, was_at_end_ = false;
  long offset_ = 0;
  int waiting_ = 0;  // bytes in a pipe
  int descriptor_ = -1;
};

}  // namespace culprit
