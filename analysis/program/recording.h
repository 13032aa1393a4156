// SPDX-License-Identifier: Apache-2.0
// From what the processes of a program wrote while it ran (db/trace.h) to what a database has of it.
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

#include "db/database.h"
#include "db/trace.h"

namespace culprit {

// Of so many calls of a class all are samples; of more of them so many, evenly spread.
inline constexpr std::size_t kMostSamples = 2000;

struct ProgramKernel {
  std::string symbol, readable, stage;  // name.h
  std::optional<BuildRecord> build;     // its code, where the trace has it
};

// All launches of a kernel with one grid, block, dynamic shared memory and NVTX range.
struct LaunchClass {
  std::size_t kernel = 0;  // in TimedProgram::kernels
  LaunchGeometry geometry;
  std::string nvtx = {};   // numbers as '#'
  std::int64_t first = 0;  // which of all launches of the program
  std::int64_t calls = 0, graph_calls = 0;
  double time_us = 0, share_us = 0;
  double slowest_us = 0;
  std::vector<Sample> samples = {};  // in the order in which they began
};

// What a plan can name: launches of a kernel with one grid, block and dynamic shared memory, whatever their range.
struct Countable {
  std::size_t kernel = 0;
  LaunchGeometry geometry;
  double time_us = 0, slowest_us = 0;
  // Of the process that has most of them, those that are wanted, as numbers among all of this kernel and geometry.
  std::vector<std::int64_t> numbers = {};
};

// The timed execution of a program.
struct TimedProgram {
  std::vector<ProgramKernel> kernels;
  std::vector<LaunchClass> classes;                           // most time first
  std::vector<Countable> countables;                          // most time first
  std::map<std::string, std::pair<std::string, int>> places;  // by symbol: file and line
  ProgramRecord program;
  std::optional<Device> device;  // of the GPU with the most time
  Toolchain toolchain;
  std::vector<Warning> warnings;

  double KernelTimeUs() const;  // of all classes
  bool UsedGpu() const { return !classes.empty() || !program.copies.empty() || program.lost_launches > 0; }
};

// Without `range` all launches; else those within a range of that name (as a whole, "step", or as the beginning of its
// words: "step" finds "step 17"), and the copies between the first and the last of them.
TimedProgram ReadTimed(std::span<const ProcessTrace> traces, const std::string& range = {});

// A run in a database, and its launches: one for each class.
struct StoredProgram {
  RunId run = 0;
  std::vector<LaunchId> launches;
};

// Begins the run and stores all that was timed. `run` has what the program does not say: label, command, start.
// `not_counted`: of each class, why it will have no counters; empty: it may, or none are wanted.
StoredProgram StoreTimed(Database& database, RunRecord run, const TimedProgram& timed,
                         std::span<const std::string> not_counted);

// What the counted execution brought for a class.
struct ClassCounts {
  std::vector<std::vector<Reading>> repetitions;
  std::string not_counted;  // why there are none
};

// Of each class. Launches with the class's range where there are any, else those of the kernel and geometry.
// `missing`: why a class has none that no launch says anything of.
std::vector<ClassCounts> MatchCounts(const TimedProgram& timed, std::span<const ProcessTrace> counted,
                                     const std::string& missing);

// Adds to the launches of `stored` what was counted of them, where `not_counted` has not said why it is not there.
void StoreCounts(Database& database, const StoredProgram& stored, const TimedProgram& timed,
                 std::span<const ClassCounts> counts, std::span<const std::string> not_counted);

// Adds exact counts (TraceMode::kExact) to the launches of `stored`: each class has those of the first of the launches
// that count for it, as in MatchCounts. False: `traces` have none.
bool StoreExactCounts(Database& database, const StoredProgram& stored, const TimedProgram& timed,
                      std::span<const ProcessTrace> traces);

// Adds the samples of each kernel (TraceMode::kSample), of all processes together, to that of its launches which has
// most time: sampling cannot tell launches of a kernel apart. Returns how many were added, and how many are of
// functions that are no kernels of the program's: what a kernel calls and the compiler did not inline.
struct StoredSamples {
  std::int64_t stored = 0, of_no_kernel = 0;
};
StoredSamples StoreSamples(Database& database, const StoredProgram& stored, const TimedProgram& timed,
                           std::span<const ProcessTrace> traces);

}  // namespace culprit
