// SPDX-License-Identifier: Apache-2.0
// Shared by the readers of traces: builds the trace of a process, as culprit record would have written it, from what
// another profiler timed.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/foreign/open_ranges.h"
#include "bench/foreign/report.h"
#include "profiler/trace/trace.h"

namespace culprit {

// One execution of a kernel.
struct ForeignKernel {
  std::string name;                 // a symbol, or what it means
  TracedLaunch launch;              // without its kernel and range
  std::optional<std::size_t> call;  // of OpenRanges
  std::string range = {};           // if there is no call
  std::optional<double> registers, static_shared_bytes;
};

class TraceBuilder {
 public:
  explicit TraceBuilder(std::int64_t pid) { trace_.pid = pid; }

  // What has no time that a database accepts is counted as lost (a launch) or left out (a copy).
  void Add(ForeignKernel kernel);
  void Add(const TracedCopy& copy);
  bool IsEmpty() const { return trace_.launches.empty() && trace_.copies.empty() && trace_.launches_seen == 0; }
  std::optional<std::int64_t> first_ns() const { return first_ns_; }

  ProcessTrace& trace() { return trace_; }
  // Numbers the ranges. Call it last. `stacks_of`: the functions of Python around these calls.
  using StacksOf = std::function<std::vector<std::vector<PythonFrame>>(std::span<const std::size_t> calls)>;
  ProcessTrace Take(const OpenRanges& ranges, const StacksOf& stacks_of = {});

 private:
  void AddStacks(const StacksOf& stacks_of);
  int NumberOf(std::map<std::string, int>& numbers, std::vector<std::string>& names, const std::string& name);

  ProcessTrace trace_;
  std::map<std::string, int> kernels_, ranges_;
  std::vector<std::optional<std::size_t>> calls_;  // by launch
  std::optional<std::int64_t> first_ns_;
};

// The kind of a copy in CUPTI's short form or that of JAX: "HtoD", "D2H", "PtoP".
CopyKind CopyKindOf(std::string_view text);

// "12.6" of 12060, as CUDA counts its versions; empty for what is no version.
std::string CudaVersionOf(double number);

// A run of `source` with these traces, which began then; 0: not known. Throws culprit::Error if they have no work of a GPU.
ForeignReport ReportOf(ProgramSource source, std::vector<ProcessTrace> traces, std::int64_t started_unix_ns,
                       std::string_view content, const ForeignFile& file);

}  // namespace culprit
