// SPDX-License-Identifier: Apache-2.0
// Exact counts of each instruction, by patching the code of a kernel (CUPTI's SASS metrics): of one launch in a
// process.
#pragma once
#include <memory>
#include <vector>

#include "db/metric_catalogue.h"
#include "profiler/inject/kernel_code.h"
#include "profiler/inject/launch_counter.h"

namespace culprit {

class SassSession;

class ExactCounter : public LaunchCounter {
 public:
  // `code` says what instructions are, and where they stand in the source.
  explicit ExactCounter(KernelCode& code);
  ~ExactCounter() override;

  void Begin(CUcontext context) override;
  void Wait() override;
  LaunchCounts End() override;

 private:
  KernelCode& code_;
  std::vector<MetricDefinition> metrics_;
  std::unique_ptr<SassSession> session_;
  bool has_counted_ = false;
};

}  // namespace culprit
