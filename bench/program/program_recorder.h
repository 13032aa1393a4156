// SPDX-License-Identifier: Apache-2.0
// Records an unmodified program: runs it for times, again for counters and samples, and stores the results of each
// execution as soon as it ends.
#pragma once
#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "bench/program/plan.h"
#include "bench/program/timed_program.h"
#include "profiler/trace/capture.h"

namespace culprit {

struct RecordingRequest {
  std::filesystem::path database;
  std::vector<std::string> words;  // the program's path or name, then its arguments
  std::string label;
  std::string profile;            // of bench/program/profile.h; empty: what suits the GPU and the program
  CountingWishes wishes;          // its set of counters follows from the profile
  bool keep_output = false;       // also shows the output of executions for counters
  bool end_when_counted = false;  // ends executions that replay kernels as soon as these were counted
  Capture capture = {};           // the part of the program that is recorded
  std::string capture_text = {};  // as the user wrote it
  std::vector<int> ranks = {};    // of processes that are recorded; empty: all processes
  // The program of the last execution goes on running when its window is over, or when SIGINT stops the recording. Each
  // execution then has the program's output, because any may be the last.
  bool leave_running = false;
};

struct ProgramRecording {
  int exit_status = 0;                // the program's, or a code for why it was not recorded (`culprit record --help`)
  std::optional<RunRecord> run = {};  // none: nothing was stored
  TimedProgram timed = {};
};

// Reports progress on `err`, one line per event. If nothing can be recorded on this machine or into this file, throws
// culprit::Error before the program runs.
ProgramRecording RecordProgram(const RecordingRequest& request, std::ostream& err);

}  // namespace culprit
