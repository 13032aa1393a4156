// SPDX-License-Identifier: Apache-2.0
// The timed execution of a program, merged from the traces of its processes (profiler/trace/trace.h).
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/program/missed_kernels.h"
#include "db/records.h"
#include "db/timeline.h"
#include "profiler/trace/trace.h"

namespace culprit {

// At most this many calls of a class are kept as samples, evenly spread.
inline constexpr std::size_t kMostSamples = 2000;

struct ProgramKernel {
  std::string symbol, readable, stage;  // name.h
  std::optional<BuildRecord> build;     // its code, if the trace has it
};

// All launches of a kernel with one grid, block, dynamic shared memory and NVTX range.
struct LaunchClass {
  std::size_t kernel = 0;  // in TimedProgram::kernels
  LaunchGeometry geometry;
  std::string nvtx = {};   // numbers as '#'
  std::int64_t first = 0;  // index of its first call among all launches of the program
  std::int64_t calls = 0, graph_calls = 0;
  double time_us = 0, share_us = 0;
  double slowest_us = 0;
  std::vector<Sample> samples = {};         // in the order of their starts
  std::vector<Reading> sampled = {};        // per launch, sampled while the program was timed
  std::vector<PhaseProfile> profiles = {};  // likewise
  bool in_records = false;                  // ClassesInRecords
  std::vector<PythonFrame> stack = {};      // as in ProgramLaunch
};

// The unit of a plan: launches of a kernel with one grid, block and dynamic shared memory, in any range.
struct Countable {
  std::size_t kernel = 0;
  LaunchGeometry geometry;
  double time_us = 0, slowest_us = 0;
  // The wanted launches, in the process that has most of them, as indices among all launches of this kernel and
  // geometry.
  std::vector<std::int64_t> numbers = {};
};

struct TimedProgram {
  std::vector<ProgramKernel> kernels;
  std::vector<LaunchClass> classes;           // most time first
  std::vector<Countable> countables;          // most time first
  std::map<std::string, SourceFrame> places;  // by symbol
  ProgramRecord program;
  TimelineRecord timeline;                 // its launches name classes by their index here
  double execution_us = 0;                 // how long the timed execution took, also outside of its windows
  std::optional<Device> device;            // of the GPU with the most time
  std::vector<MissedKernels> missed = {};  // if counters were sampled
  std::int64_t memory_bytes = 0;           // the most memory of a GPU that was seen in use; 0: it is not known
  std::string gpu_uuids = {};              // as in RunRecord
  Toolchain toolchain;
  std::vector<Warning> warnings;

  double KernelTimeUs() const;  // of all classes
  bool UsedGpu() const { return !classes.empty() || !program.copies.empty() || program.lost_launches > 0; }
};

// If the traces have windows, the wall time is the time in which one was open, in any process. Span and idle time are
// those of GPUs: from the first start to the last end of what was launched in a window.
//
// Without `range`, reads all launches. Else it reads the launches within a range of that name ("step" also finds "step
// 17"), and the copies between the first and the last of these launches.
//
// Takes the traces, because millions of launches are freed as soon as they are read.
TimedProgram ReadTimed(std::vector<ProcessTrace> traces, const std::string& range = {});
TimedProgram ReadTimed(std::span<const ProcessTrace> traces, const std::string& range = {});

}  // namespace culprit
