// SPDX-License-Identifier: Apache-2.0
// CUPTI's SASS metrics on a context. Kernels that run while the session exists are patched and counted. Only collector
// implementations include this.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "db/records.h"
#include "profiler/cupti_call.h"
#include "profiler/instruction_counts.h"

namespace culprit {

struct SassCounts {
  std::string function;           // the first function that has records
  std::vector<Reading> readings;  // of the requested metrics, in order: sums over all recorded functions
  InstructionCounts by_instruction;
};

class SassSession {
 public:
  // `metrics` must outlive the session. Counts only the first kernel after the start, and only in the first session of
  // a process (CUDA 13.0; docs/evidence/cupti.md). Throws CuptiError.
  SassSession(CUcontext context, unsigned device, const std::string& chip,
              const std::vector<MetricDefinition>& metrics);
  ~SassSession();
  SassSession(const SassSession&) = delete;

  // Returns the counts. The kernel must have ended. Counts that are not fetched before the session ends are lost.
  SassCounts Fetch() const;

 private:
  const CUcontext context_;
  const unsigned device_;
  const std::vector<MetricDefinition>& metrics_;
  std::map<std::string, std::uint64_t> ids_;  // CUPTI's metric name -> CUPTI's id
  std::vector<CUpti_SassMetrics_Config> configs_;
};

// Readings without values: `status` for metrics that CUPTI has on this chip, kUnsupported for others.
std::vector<Reading> SassReadings(const std::vector<MetricDefinition>& metrics, const std::string& chip,
                                  ReadingStatus status);

}  // namespace culprit
