// SPDX-License-Identifier: Apache-2.0
// CUPTI's sampling of program counters on a context: what runs between Start and Stop is looked at every 2 to the power
// of `period` cycles of each SM. Not beside counters: one of them holds the hardware. Included by those who collect
// only.
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
  // CUPTI's own size, said aloud: what an H200 samples in a tenth of a second at the shortest period.
  static constexpr std::size_t kHardwareBytes = std::size_t{512} << 20;

  // Kernels that were loaded before have no records, their samples count as those of no user's kernel (CUDA 13.0): make
  // the session first, and one in a process. Throws CuptiError or Error, and then
  // sampling is off.
  SamplingSession(CUcontext context, int period, std::size_t hardware_bytes = kHardwareBytes);
  ~SamplingSession();
  SamplingSession(const SamplingSession&) = delete;

  void Start();
  void Stop();  // what was launched since Start has ended

  // Adds what was sampled since the last call, as far as CUPTI has it: all of it after Stop.
  void Read(SampleSums& sums);

  // Where neither Stop nor Read was possible, because the context is being taken down: switches sampling off, and adds
  // what CUPTI then leaves behind. The last call.
  void End(SampleSums& sums);

  // Soon there is no room for more instructions: time to Read.
  bool IsFilling() const;
  // A buffer of the hardware was full at some time: CUPTI then gives nothing at all of what was in it.
  bool WasFull() const { return was_full_; }

 private:
  // Where CUPTI leaves instructions.
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
  // Sampling is on in the context.
  struct Enabled {
    explicit Enabled(CUcontext context);
    ~Enabled();
    Enabled(const Enabled&) = delete;
    const CUcontext context;
  };

  void AskForReasons();
  void Configure(int period, std::size_t hardware_bytes);
  // Returns whether it brought anything, or left something.
  bool ReadOnce(SampleSums& sums);
  // Returns how many instructions there were.
  std::size_t AddInstructions(const CUpti_PCSamplingData& data, SampleSums& sums) const;

  // Made before sampling is switched on, and there until it is off: CUPTI writes into the first by itself, and the
  // second must be another.
  Buffer own_, read_;
  const CUcontext context_;
  std::optional<Enabled> enabled_;
  std::map<std::uint32_t, StallReason> reasons_;
  std::vector<std::uint32_t> reason_numbers_;  // all that CUPTI has; it keeps a pointer to them
  SampleTotals seen_;                          // as the last call said, where calls say the sum of all
  bool is_running_ = false, has_read_ = false, was_full_ = false;
};

// As its constructor, and once more with CUPTI's profiler initialised, which not every driver wants.
std::unique_ptr<SamplingSession> StartSampling(CUcontext context, int period);

// One sentence: why instructions were not sampled, and what to do.
Warning NotSampled(const std::exception& error);

}  // namespace culprit
