// SPDX-License-Identifier: Apache-2.0
// A program that is not ours, run as if nobody watched: its input, output, signals and end are its own.
#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace culprit {

// A folder of this user alone, which goes with everything in it.
class PrivateFolder {
 public:
  PrivateFolder();  // below $TMPDIR, else /tmp
  ~PrivateFolder();
  PrivateFolder(const PrivateFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// While it lives, signals that would end us go to the program that runs instead.
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

struct ProgramEnd {
  int status = 0;           // of its exit, 128 + signal; 127 where there is no such program, 126 where it cannot be run
  std::string not_started;  // why; empty: it ran
  double wall_us = 0;
  bool was_ended = false;  // by us: it took longer than it may
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
