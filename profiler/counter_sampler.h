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
  // Takes 0.15 s. Needs the device's ordinal of CUDA and a context on it. Throws CuptiError or Error: nothing is
  // sampled then, and nothing remains switched on.
  CounterSampler(int device, const std::string& chip, const CounterTurn& counters, std::int64_t interval_ns);
  ~CounterSampler();
  CounterSampler(const CounterSampler&) = delete;
  CounterSampler& operator=(const CounterSampler&) = delete;

  void Start();
  // Another thread may call this while Read runs: CUPTI does not promise that, but it works.
  void Stop();
  // Makes the image that Read decodes into. Call it before the first Read. It takes 50 ms, so do it after Start if somebody
  // waits for that. Throws CuptiError: the sampler is of no use then.
  void MakeImage();

  std::size_t image_bytes() const { return image_.size(); }

  // Appends the records since the last call that are whole and have a time. One call decodes at most kMostAtOnce, or what
  // fits into kMostImageBytes. Returns whether there were so many, so that there may be more. Records that follow in the
  // hardware's buffer have lost their time then: read at least each 0.1 s, and take longer intervals if that happens all
  // the same. The hardware's buffer holds 1,200 records and more. A full one ends sampling, and this throws CuptiError.
  bool Read(std::vector<CounterRecord>& records);

  static constexpr std::uint32_t kMostAtOnce = 1024;
  // So that the buffers of the injected library stay below 64 MB. On an H200, 1,024 records of the first list take 62 MB.
  static constexpr std::size_t kMostImageBytes = 56'000'000;

  struct Lost {
    // Records that were left out:
    std::int64_t untimed = 0;  // their time is not known
    std::int64_t cut = 0;      // an earlier call had begun to decode them, so a part of their counts is gone
    std::int64_t full = 0;     // how often the hardware's buffer was full, so that it wrote no record
  };
  // Since the session began.
  const Lost& lost() const { return lost_; }

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
  CUptiResult TryStop();
  void ClearImage();
  bool Follows(std::int64_t start_ns, std::int64_t end_ns);  // the last one; counts it as lost if not

  std::vector<const char*> names_;
  MetricHost host_;
  // CUPTI keeps pointers into these two, so they must outlive enabled_.
  std::vector<std::uint8_t> config_, image_;
  Enabled enabled_;
  const std::int64_t interval_ns_;
  bool is_running_ = false;
  bool is_image_clear_ = false;  // clearing takes 20 ms, so only the next call of Read does it
  std::size_t begun_ = 0;        // records that the last call began to decode, and did not finish
  Lost lost_;
  std::int64_t last_end_ns_ = 0;
};

}  // namespace culprit
