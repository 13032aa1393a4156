// SPDX-License-Identifier: Apache-2.0
// Exact counts per instruction by patching a kernel's code (CUPTI's SASS metrics). Works for one launch per process.
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
  // `code` has the opcodes and source lines of instructions.
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
