// SPDX-License-Identifier: Apache-2.0
// Where the times of launches go when they were taken: into the recording, with what is wrong with them said aloud.
#pragma once
#include <span>

#include "bench/job.h"

namespace culprit {

class TimedLaunches {
 public:
  explicit TimedLaunches(Recorder& recorder) : recorder_(recorder) {}

  // All samples of the job so far: what was stored of it before is replaced.
  void Store(Job& job, std::span<const Sample> samples);
  // When no more will come. A launch whose clock lies below that of others of this run is named.
  void WarnOf(const Job& job, std::span<const Sample> samples);

 private:
  Recorder& recorder_;
  double highest_clock_ = 0;
};

}  // namespace culprit
