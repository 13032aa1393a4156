// SPDX-License-Identifier: Apache-2.0
// Hardware counters of launches of somebody else's program, in one of two ways. CUPTI saves what a kernel writes and runs
// it again for every pass, so the program goes on with what one launch leaves behind. Or each of several like launches
// is one pass, and nothing runs twice: for CUDA graphs, which CUPTI 13.0 runs again without restoring what they wrote,
// and for kernels that wait for the host.
#pragma once
#include <cuda.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "db/records.h"
#include "profiler/metric_catalogue.h"

namespace culprit {

class RangeSession;
enum class Replay;

class ReplayCounter {
 public:
  explicit ReplayCounter(MetricSet set);
  ~ReplayCounter();
  ReplayCounter(const ReplayCounter&) = delete;

  // Counts what is launched in the context from now on, `kernels` of them at most. Throws CuptiError or Error, and then
  // nothing is counted.
  void Begin(CUcontext context, std::size_t kernels);
  // The readings of each kernel since Begin, in the order in which they ran. Throws as Begin does.
  std::vector<std::vector<Reading>> End();

  // One pass over what is launched in the context from now on; `first`: of a new series. Throws as Begin does.
  void BeginPass(CUcontext context, std::size_t kernels, bool first);
  // Whether it was the last one of the series, whose readings follow.
  bool EndPass();
  std::vector<std::vector<Reading>> Readings();
  std::size_t passes() const;  // of what was begun last

  // The context goes: what is armed in it is taken down first.
  void Forget(CUcontext context);
  void Close();  // all of them

 private:
  struct Armed;

  Armed& ArmedFor(CUcontext context, std::size_t kernels, Replay replay);

  const MetricSet set_;
  std::map<CUcontext, std::unique_ptr<Armed>> armed_;
  Armed* counting_ = nullptr;  // since Begin or BeginPass
};

}  // namespace culprit
