// SPDX-License-Identifier: Apache-2.0
// Hardware counters. CUPTI saves what a kernel writes and runs it again for every pass, so the program goes on with
// what one launch leaves behind. Not of CUDA graphs: with counters on, CUPTI 13.0 does not launch them at all when it
// is to repeat their kernels, and fails when it is not to.
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
