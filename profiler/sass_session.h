// SPDX-License-Identifier: Apache-2.0
// CUPTI's SASS metrics on a context: what runs while it is there is patched and counted. Included by collector
// implementations only.
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
  std::vector<Reading> readings;  // of the metrics asked for, in their order: sums over all recorded functions
  InstructionCounts by_instruction;
};

class SassSession {
 public:
  // `metrics` must outlive the session. Only the first kernel after it began is counted, and only in the first session
  // of a process (CUDA 13.0; docs/cupti.md). Throws CuptiError.
  SassSession(CUcontext context, unsigned device, const std::string& chip,
              const std::vector<MetricDefinition>& metrics);
  ~SassSession();
  SassSession(const SassSession&) = delete;

  // What was counted; the kernel must have ended. Before the session's end: what is not fetched by then is dropped.
  SassCounts Fetch() const;

 private:
  const CUcontext context_;
  const unsigned device_;
  const std::vector<MetricDefinition>& metrics_;
  std::map<std::string, std::uint64_t> ids_;  // CUPTI's of each metric that it has, by CUPTI's name
  std::vector<CUpti_SassMetrics_Config> configs_;
};

// Without values: of a metric that CUPTI has on this chip `status`, of others that it is not to be had.
std::vector<Reading> SassReadings(const std::vector<MetricDefinition>& metrics, const std::string& chip,
                                  ReadingStatus status);

}  // namespace culprit
