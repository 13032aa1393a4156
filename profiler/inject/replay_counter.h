// SPDX-License-Identifier: Apache-2.0
// Hardware counters. CUPTI saves the memory that a kernel writes and replays the kernel for every pass, so the program
// sees the effect of one launch. This does not work for CUDA graphs. While counters are on, CUPTI 13.0 does not launch
// them in kernel replay, and fails in other modes. So GraphWalk takes them apart.
#pragma once
#include <map>
#include <memory>

#include "db/metric_catalogue.h"
#include "profiler/inject/launch_counter.h"

namespace culprit {

class ReplayCounter : public LaunchCounter {
 public:
  explicit ReplayCounter(MetricSet set);
  ~ReplayCounter() override;

  void Begin(CUcontext context) override;
  LaunchCounts End() override;
  void Forget(CUcontext context) override;
  void Close() override;

 private:
  struct Armed;

  Armed& ArmedFor(CUcontext context);

  const MetricSet set_;
  std::map<CUcontext, std::unique_ptr<Armed>> armed_;
  Armed* counting_ = nullptr;
};

}  // namespace culprit
