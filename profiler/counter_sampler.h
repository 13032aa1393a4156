// SPDX-License-Identifier: Apache-2.0
// CUPTI's PM sampling of one GPU: while anything runs there, in whichever process, the hardware writes a record of its
// counters every `interval_ns`. Kernels are neither replayed nor slowed down. Sampling of instructions needs the same
// hardware, so both cannot run at the same time. Only collectors include this.
#pragma once
#include <cupti_pmsampling.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "db/sampled_counters.h"
#include "profiler/metric_host.h"

namespace culprit {

// Stamps are those of CUPTI's activity records.
struct CounterRecord {
  std::int64_t start_ns = 0, end_ns = 0;
  std::vector<double> values;  // in the order of the counters; NaN: not read
};

class CounterSampler {
 public:
  // Takes 0.3 to 0.4 s. Needs the device's ordinal of CUDA and a context on it. Throws CuptiError or Error: nothing is
  // sampled then, and nothing remains switched on.
  CounterSampler(int device, const std::string& chip, const CounterTurn& counters, std::int64_t interval_ns);
  ~CounterSampler();
  CounterSampler(const CounterSampler&) = delete;
  CounterSampler& operator=(const CounterSampler&) = delete;

  void Start();
  void Stop();

  // Appends complete records since the last call. One call reads at most kMostAtOnce. Returns whether there may be more.
  // Call it often: the hardware's buffer holds some 3,000 records. A full one ends sampling, and this throws CuptiError.
  bool Read(std::vector<CounterRecord>& records);

  static constexpr std::uint32_t kMostAtOnce = 128;

  struct Lost {
    std::int64_t untimed = 0;  // records whose time is not known, so that they were left out
    std::int64_t full = 0;     // how often the hardware's buffer was full, so that it wrote no record
  };
  // So far. Call it after the last Read, because records may wait for the time of the next one.
  Lost lost() const { return {lost_.untimed + static_cast<std::int64_t>(unstamped_.size()), lost_.full}; }

 private:
  class Enabled {
   public:
    explicit Enabled(int device);
    ~Enabled();
    Enabled(const Enabled&) = delete;
    CUpti_PmSampling_Object* object() const { return object_; }

   private:
    CUpti_PmSampling_Object* object_ = nullptr;
  };

  void Configure();
  CUptiResult Halt();
  void ClearImage();
  void Append(CounterRecord record, std::vector<CounterRecord>& records);

  std::vector<const char*> names_;
  MetricHost host_;
  // CUPTI keeps pointers into these two, so they must outlive enabled_.
  std::vector<std::uint8_t> config_, image_;
  Enabled enabled_;
  const std::int64_t interval_ns_;
  bool is_running_ = false;
  // When CUPTI fills the image, it leaves the stamps of its last records out (13.0). These wait here for the next stamp.
  std::vector<CounterRecord> unstamped_;
  Lost lost_;
  std::int64_t last_end_ns_ = 0;
};

}  // namespace culprit
