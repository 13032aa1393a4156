// SPDX-License-Identifier: Apache-2.0
// The library with which a Google Benchmark binary times, verifies, counts and records its kernels.
//
//   int main(int argc, char** argv) {
//     return culprit::BenchMain(argc, argv, {{.id = "saxpy", .shape = "1048576", .launch = [](cudaStream_t s) { ...
//     }}});
//   }
//
// gives that binary --db, --profile, --machine, --count-repetitions, --stages, --shapes, --l2, --seed, --label,
// --samples, --in-turns and --processes, and all flags of Google Benchmark. BENCHMARK()s that the binary registers also
// run, but only workloads are recorded.
#pragma once
#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "db/metric_catalogue.h"
#include "db/shared_access.h"
#include "profiler/timer.h"

namespace culprit {

// The result of comparing an output with a reference.
struct VerifyResult {
  bool passed = false;
  double error_over_bound = 0;  // largest |out - reference| / bound over the elements; 1 is the limit
  std::string reference;        // the reference: "cublas", "float64", ...
  std::string message;          // if it failed: the element, the value, the expected value, the allowed error
};

// One kernel at one shape.
struct Workload {
  std::string id;          // database key: letters, digits, '_'; stable over the life of the project
  std::string shape;       // integers joined by 'x', outermost extent first: "4096x4096x4096"
  std::string group = {};  // first part of the benchmark's name: "sgemm" gives sgemm/<id>/<shape>
  // Launches of one shape with the same `inputs` can be ready at the same time, so they may take turns. Empty: all
  // launches of the group have the same.
  std::string inputs = {};
  std::string family = "user";
  std::string parent = {};      // id of the workload that this one is derived from
  std::string idea = {};        // one sentence
  std::string constraint = {};  // supported shapes, for people
  // Its design choices, to compare it with others: {"load width", "float4"}. Only the factor "input" has a meaning for
  // us: if it is not fp32, the FFMA peak is no ceiling.
  std::map<std::string, std::string> factors = {};
  // The accesses of its first warp to shared memory, for `culprit banks`; empty: not stated.
  std::vector<SharedAccess> shared_accesses = {};
  std::string source_file = {};
  int source_line = 0;
  double flop = 0;       // useful floating-point operations per launch; 0: GFLOP/s are not shown
  double min_bytes = 0;  // compulsory device-memory traffic per launch; 0: unknown
  // Threads per block, for its occupancy on machines without a GPU; 0: unknown. With a GPU, CUDA reports it.
  int block_threads = 0;
  int dynamic_shared_bytes = 0;
  std::string refusal = {};  // not empty: the shape is not supported; this sentence is printed and recorded

  // Allocates and fills the inputs. Called before the first launch, and again after other workloads have run, so it
  // must be cheap if the inputs are ready. May be empty.
  std::function<void()> set_up = {};
  // Enqueues the work once on the given stream without waiting. Called many times, so it must be repeatable.
  std::function<void(cudaStream_t)> launch = {};
  // Runs the work once and compares. A failed workload is recorded as failed and not timed, and the exit status is 1.
  std::function<VerifyResult()> verify = {};
};

struct BenchOptions {
  std::string db;                    // empty: nothing is recorded
  std::optional<MetricSet> profile;  // which counters are replayed; empty: none
  bool samples_counters = false;     // --profile=sampled
  bool lines = false;                // sample instructions: --profile=full, --profile=lines and --profile=sampled
  std::vector<std::string> stages;   // globs; empty: all
  std::vector<std::string> shapes;   // as given; empty: the binary's own choice
  CacheState l2 = CacheState::kHot;
  std::int64_t seed = 1;
  std::string label;
  bool machine = false;           // measure the GPU's figures, even if an earlier run did
  bool once = false;              // launch each workload once, untimed, and exit; for use with another profiler
  bool verify_only = false;       // verify each workload, untimed, and exit; for use with compute-sanitizer
  bool count_only = false;        // skip verification and timing
  int samples = 0;                // per workload and repetition; 0: Google Benchmark decides
  bool in_turns = false;          // the workloads of one shape take turns, sample by sample; needs `samples`
  int count_repetitions = 3;      // how often hardware counters are collected; the reading is the median
  int processes = 1;              // processes that time all workloads, one after the other; above 1 needs a database
  std::string parent;             // internal: the pipes of a process that measures for another (reporting_processes.h)
  bool verified = false;          // internal: another process has verified the workloads
  int turn = -1, turn_done = -1;  // internal: file descriptors, see bench/turns.h

  // Whether hardware counters are read, in one way or the other.
  bool Counts() const { return profile || samples_counters; }
};

using MakeWorkloads = std::function<std::vector<Workload>(const BenchOptions&)>;

// The whole program: parses, verifies, times, counts, records. Exit status: 0 success, 1 a workload failed verification
// or could not run, 2 failure (bad arguments, no GPU, database error, no space for the output), with one sentence on
// stderr. A reader of standard output that leaves early (`| head`) changes neither the run nor the status.
int BenchMain(int argc, char** argv, const MakeWorkloads& make);
// For workloads that do not depend on options.
int BenchMain(int argc, char** argv, const std::vector<Workload>& workloads);

}  // namespace culprit
