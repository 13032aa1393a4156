// SPDX-License-Identifier: Apache-2.0
// Hardware counters of launches of somebody else's program. CUPTI saves what a kernel writes and runs it again for
// every pass, so the program goes on with what one launch leaves behind. Not of CUDA graphs: with counters on,
// CUPTI 13.0 does not launch them at all when it is to repeat their kernels, and fails when it is not to.
#pragma once
#include <cuda.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "db/metric_catalogue.h"
#include "db/records.h"

namespace culprit {

class RangeSession;

class ReplayCounter {
 public:
  explicit ReplayCounter(MetricSet set);
  ~ReplayCounter();
  ReplayCounter(const ReplayCounter&) = delete;

  // Counts the kernel that is launched in the context next. Throws CuptiError or Error, and then nothing is counted.
  void Begin(CUcontext context);
  // Empty: CUPTI counted nothing. Throws as Begin does.
  std::vector<Reading> End();

  // The context goes: what is armed in it is taken down first.
  void Forget(CUcontext context);
  void Close();  // all of them

 private:
  struct Armed;

  Armed& ArmedFor(CUcontext context);

  const MetricSet set_;
  std::map<CUcontext, std::unique_ptr<Armed>> armed_;
  Armed* counting_ = nullptr;
};

}  // namespace culprit
