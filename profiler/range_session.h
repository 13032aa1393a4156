// SPDX-License-Identifier: Apache-2.0
// CUPTI's range profiler, enabled on a context for a list of metrics. Only collector implementations include this.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "db/records.h"
#include "profiler/cupti_call.h"
#include "profiler/metric_host.h"

namespace culprit {

enum class RangesOf {
  kKernels,  // CUPTI opens and closes a range for each kernel, on the device
  kHost,     // Push and Pop open and close it
};
enum class Replay {
  kByUs,     // we repeat launches until Stop says that all passes are done
  kByCupti,  // CUPTI repeats each kernel and restores the memory that the kernel wrote before each repetition
};

// The metrics of a session, and a host object that has scheduled all of them.
struct Schedule {
  std::vector<std::size_t> metrics;  // indices into `wanted`
  std::vector<const char*> names;    // their names; they point into `wanted`
  MetricHost host;

  // Leaves out metrics that CUPTI refuses.
  Schedule(const std::vector<MetricDefinition>& wanted, const std::string& chip,
           std::span<const std::uint8_t> availability);

 private:
  bool Add(const std::vector<MetricDefinition>& wanted);
};

// Members are acquired top to bottom and released bottom to top, even when a step in the middle throws.
class RangeSession {
 public:
  // `metrics` must outlive the session. `room`: the largest number of ranges that are counted together. `ask`: queries
  // which counters are available. Set it only after a failure, because the query takes 0.1 s (0.5 s for the first time
  // on a machine) and nearly always finds all counters available. Throws CuptiError.
  RangeSession(CUcontext context, const std::vector<MetricDefinition>& metrics, const std::string& chip,
               RangesOf ranges, Replay replay, std::size_t room, bool ask);

  std::size_t passes() const { return passes_; }
  // Indices of the counted metrics, in the order of Read's values.
  const std::vector<std::size_t>& metrics() const { return schedule_.metrics; }

  void Prepare();  // before the first Start: clears earlier counts
  void Start();
  bool Stop();  // true: all passes are done
  void Push(std::size_t range);
  void Pop();
  std::size_t Decode();  // call after the last Stop; returns the number of ranges dropped for lack of room
  // NaN: scheduled but not read. Empty: the range was never filled.
  std::vector<double> Read(std::size_t range);

 private:
  class Profiler {
   public:
    explicit Profiler(CUcontext context);
    ~Profiler();
    Profiler(const Profiler&) = delete;
    CUpti_RangeProfiler_Object* object() const { return object_; }

   private:
    CUpti_RangeProfiler_Object* object_ = nullptr;
  };

  const RangesOf ranges_;
  const Replay replay_;
  const std::size_t room_;
  std::vector<std::uint8_t> availability_;
  Schedule schedule_;
  // CUPTI keeps pointers into these two until Disable, so they must outlive profiler_.
  std::vector<std::uint8_t> config_;
  std::vector<std::uint8_t> data_;
  Profiler profiler_;
  std::size_t passes_ = 0;
};

}  // namespace culprit
