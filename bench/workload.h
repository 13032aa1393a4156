// SPDX-License-Identifier: Apache-2.0
// The library that a Google Benchmark binary links to time, verify, count and record its kernels.
//
//   int main(int argc, char** argv) {
//     return culprit::BenchMain(argc, argv, {{.id = "saxpy", .shape = "1048576", .launch = [](cudaStream_t s) { ...
//     }}});
//   }
//
// gives that binary --db, --profile, --machine, --count-repetitions, --stages, --shapes, --l2, --seed, --label,
// --samples, --in-turns,
// --processes and --doctor beside all flags of Google Benchmark. BENCHMARK()s that the binary registers itself run too;
// only workloads are recorded.
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

// What comparing an output with a reference gave.
struct VerifyResult {
  bool passed = false;
  double error_over_bound = 0;  // largest |out - reference| / bound over the elements: 1 is the limit
  std::string reference;        // what it was compared with: "cublas", "float64", ...
  std::string message;          // when it failed: which element, got, wanted, allowed
};

// One kernel at one shape.
struct Workload {
  std::string id;          // database key: letters, digits, '_'; stable over the life of the project
  std::string shape;       // integers joined by 'x', outermost extent first: "4096x4096x4096"
  std::string group = {};  // first part of the benchmark's name: "sgemm" makes sgemm/<id>/<shape>
  // Launches of one shape that name the same inputs have them in place together, so that they may take turns. Empty:
  // those of one group do.
  std::string inputs = {};
  std::string family = "user";
  std::string parent = {};      // id of the workload that this one was changed from
  std::string idea = {};        // one sentence
  std::string constraint = {};  // shapes it takes, for people
  // One factor has a meaning here: "input", if it is not fp32, says that the FFMA peak is no ceiling.
  std::map<std::string, std::string> factors = {};  // in what it differs: {"load width", "float4"}
  // How its first warp touches shared memory, for `culprit banks`; empty: not stated.
  std::vector<SharedAccess> shared_accesses = {};
  std::string source_file = {};
  int source_line = 0;
  double flop = 0;       // useful floating-point operations of one launch; 0: no GFLOP/s are shown
  double min_bytes = 0;  // compulsory device-memory traffic of one launch; 0: unknown
  // How it will be launched, for the occupancy of machines where it cannot be; 0: unknown. Where it runs, CUDA is
  // asked.
  int block_threads = 0;
  int dynamic_shared_bytes = 0;
  std::string refusal = {};  // not empty: this shape is not run; the sentence is printed and recorded

  // Allocates and fills the inputs. Called before the first launch and again whenever another workload ran in between,
  // so it must be cheap when everything is in place. May be empty.
  std::function<void()> set_up = {};
  // Enqueues the work once on the given stream, without waiting for it. Called many times; must be repeatable.
  std::function<void(cudaStream_t)> launch = {};
  // Runs the work once and compares. A workload that fails is recorded as failed, not timed, and the exit status is 1.
  std::function<VerifyResult()> verify = {};
};

struct BenchOptions {
  std::string db;                    // empty: nothing is recorded
  std::optional<MetricSet> profile;  // which counters; empty: none
  bool lines = false;                // sample instructions: --profile=full and --profile=lines
  std::vector<std::string> stages;   // globs; empty: all
  std::vector<std::string> shapes;   // as written; empty: the binary's own choice
  CacheState l2 = CacheState::kHot;
  std::int64_t seed = 1;
  std::string label;
  bool doctor = false;
  bool machine = false;       // measure what the GPU can do, though an earlier run did
  bool once = false;          // launch each workload once, untimed, and exit: what to put under another profiler
  bool verify_only = false;   // verify each workload, untimed, and exit: what to put under compute-sanitizer
  bool count_only = false;    // skip verification and timing
  int samples = 0;            // of each workload and repetition; 0: as many as Google Benchmark finds enough
  bool in_turns = false;      // the workloads of one shape take turns, sample by sample; needs samples
  int count_repetitions = 3;  // how often hardware counters are collected; the reading is the median
  int processes = 1;          // how many, one after the other, time all workloads; more than 1 needs a database
  int timing_report = -1;     // internal: the file descriptor that this process reports its times on; -1: it does not
  bool verified = false;      // internal: another process has verified the workloads
  int turn = -1, turn_done = -1;           // internal: file descriptors, see bench/turns.h
  std::string sass_worker;                 // internal: Job::Name of the one whose exact counts this process reports
  std::string sass_kernel;                 // internal: the symbol of which of its kernels; empty: the first
  std::vector<std::string> sampling_jobs;  // internal: Job::Name of those whose instructions this process samples
  int sampling_period = 0;                 // internal: 2 to the power of it are the cycles between two samples
  int sampling_report = -1;                // internal: the file descriptor that it reports on; -1: it does not
  int sass_report = 1;                     // internal: the file descriptor that it reports on
  int sass_go = 0;                         // internal: the one whose end says that it may begin
};

using MakeWorkloads = std::function<std::vector<Workload>(const BenchOptions&)>;

// The whole program: parses, verifies, times, counts, records. Exit status: 0 fine, 1 a workload failed verification or
// could not run, 2 could not do it (bad arguments, no GPU, database trouble, no room for the output), with one sentence
// on stderr. A reader of standard output that leaves early (`| head`) changes neither the run nor the status.
int BenchMain(int argc, char** argv, const MakeWorkloads& make);
// Where no option changes what is launched.
int BenchMain(int argc, char** argv, const std::vector<Workload>& workloads);

}  // namespace culprit
