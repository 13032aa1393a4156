// SPDX-License-Identifier: Apache-2.0
// CUPTI's range profiler, enabled on a context for a list of metrics. Included by collector implementations only.
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
  kKernels,  // CUPTI opens and closes one for each kernel, on the device
  kHost,     // Push and Pop do
};
enum class Replay {
  kByUs,     // launches are repeated until Stop says that every pass was there
  kByCupti,  // CUPTI repeats each kernel, and restores the memory that it wrote before each time
};

// The metrics of a session and a host that has them all.
struct Schedule {
  std::vector<std::size_t> metrics;  // indices into `wanted`
  std::vector<const char*> names;    // of each; they point into `wanted`
  MetricHost host;

  // What CUPTI refuses is left out.
  Schedule(const std::vector<MetricDefinition>& wanted, const std::string& chip,
           std::span<const std::uint8_t> availability);

 private:
  bool Add(const std::vector<MetricDefinition>& wanted);
};

// Members are acquired top to bottom and released bottom to top, also when a step in the middle throws.
class RangeSession {
 public:
  // `metrics` must outlive the session. `room`: the most ranges that are counted together. Asking which counters are
  // available takes 0.1 s, and 0.5 s the first time on a machine, and nearly always the answer is "all": `ask` only
  // when it was not. Throws CuptiError.
  RangeSession(CUcontext context, const std::vector<MetricDefinition>& metrics, const std::string& chip,
               RangesOf ranges, Replay replay, std::size_t room, bool ask);

  std::size_t passes() const { return passes_; }
  // Indices into the metrics that are counted, in the order of Read's values.
  const std::vector<std::size_t>& metrics() const { return schedule_.metrics; }

  void Prepare();  // before the first Start: forgets what was counted
  void Start();
  bool Stop();  // true: every pass was there
  void Push(std::size_t range);
  void Pop();
  std::size_t Decode();  // after the last Stop: how many ranges were dropped for lack of room
  // NaN: scheduled and not read. A range that was never filled has no numbers at all.
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
  std::vector<std::uint8_t> config_;  // CUPTI keeps pointers into these two until Disable, so they outlive profiler_
  std::vector<std::uint8_t> data_;
  Profiler profiler_;
  std::size_t passes_ = 0;
};

}  // namespace culprit
