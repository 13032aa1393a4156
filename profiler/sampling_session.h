// SPDX-License-Identifier: Apache-2.0
// CUPTI's program-counter sampling on a context. Between Start and Stop, each SM is sampled every 2^`period` cycles.
// Counters cannot run at the same time, because both need the same hardware. Only collectors include this.
#pragma once
#include <cupti_pcsampling.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "db/records.h"
#include "profiler/cupti_call.h"
#include "profiler/sample_sums.h"

namespace culprit {

class SamplingSession {
 public:
  // CUPTI's default, set explicitly. It is enough for 0.1 s of an H200 at the shortest period.
  static constexpr std::size_t kHardwareBytes = std::size_t{512} << 20;

  // Kernels that were loaded earlier get no records; their samples count as the driver's (CUDA 13.0). So create the
  // session before loading kernels, and only one per process. If it throws CuptiError or Error, sampling is off.
  SamplingSession(CUcontext context, int period, std::size_t hardware_bytes = kHardwareBytes);
  ~SamplingSession();
  SamplingSession(const SamplingSession&) = delete;

  void Start();
  void Stop();  // all launches since Start must have ended

  // Adds the samples since the last call that CUPTI has so far. After Stop, these are all samples.
  void Read(SampleSums& sums);

  // Switches sampling off and adds the samples that CUPTI still has. Must be the last call. Use it while the context is
  // being destroyed, when Stop and Read are impossible.
  void End(SampleSums& sums);

  // True when there is little room for more instructions: call Read.
  bool IsFilling() const;
  // Whether a hardware buffer was ever full. CUPTI then drops its whole content.
  bool WasFull() const { return was_full_; }

 private:
  // Memory for the instructions that CUPTI writes.
  class Buffer {
   public:
    explicit Buffer(std::size_t instructions);
    Buffer(const Buffer&) = delete;
    void Clear();
    CUpti_PCSamplingData& data() { return data_; }
    const CUpti_PCSamplingData& data() const { return data_; }

   private:
    std::vector<CUpti_PCSamplingStallReason> reasons_;
    std::vector<CUpti_PCSamplingPCData> instructions_;
    CUpti_PCSamplingData data_{};
  };
  // Sampling is on in the context while this object exists.
  struct Enabled {
    explicit Enabled(CUcontext context);
    ~Enabled();
    Enabled(const Enabled&) = delete;
    const CUcontext context;
  };

  void AskForReasons();
  void Configure(int period, std::size_t hardware_bytes);
  // Returns whether it read any samples or left some.
  bool ReadOnce(SampleSums& sums);
  // Returns the number of instructions.
  std::size_t AddInstructions(const CUpti_PCSamplingData& data, SampleSums& sums) const;

  // Created before sampling starts and kept until it stops. CUPTI writes into own_ at any time, so reading needs read_.
  Buffer own_, read_;
  const CUcontext context_;
  std::optional<Enabled> enabled_;
  std::map<std::uint32_t, StallReason> reasons_;
  std::vector<std::uint32_t> reason_numbers_;  // all of CUPTI's reasons; CUPTI keeps a pointer to them
  SampleTotals seen_;                          // totals at the last call, because some CUPTI versions never reset them
  bool is_running_ = false, has_read_ = false, was_full_ = false;
};

// Calls the constructor. If that fails, initialises CUPTI's profiler and tries again, because some drivers need it.
std::unique_ptr<SamplingSession> StartSampling(CUcontext context, int period);

// One sentence that says why there are no samples, and what to do.
Warning NotSampled(const std::exception& error);

}  // namespace culprit
