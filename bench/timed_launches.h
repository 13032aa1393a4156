// SPDX-License-Identifier: Apache-2.0
// Stores the times of launches in the recording and reports problems with them.
#pragma once
#include <span>

#include "bench/job.h"

namespace culprit {

class TimedLaunches {
 public:
  explicit TimedLaunches(RunWriter& writer) : writer_(writer) {}

  // `samples`: all of the job so far; they replace those stored before.
  void Store(Job& job, std::span<const Sample> samples);
  // Call it after the last Store of the job. Names a launch whose clock is below that of other launches of this run.
  void WarnOf(const Job& job, std::span<const Sample> samples);

 private:
  RunWriter& writer_;
  double highest_clock_ = 0;
};

}  // namespace culprit
