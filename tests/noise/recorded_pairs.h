// SPDX-License-Identifier: Apache-2.0
// Verdicts on pairs of recordings with known answers: the same kernel twice, or with 2 % more work.
#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/noise/recordings.h"
#include "tests/noise/tally.h"

namespace culprit::testing {

class RecordedPairs {
 public:
  explicit RecordedPairs(std::vector<Recording> recordings);
  RecordedPairs(const RecordedPairs&) = delete;  // points into its own recordings
  RecordedPairs& operator=(const RecordedPairs&) = delete;

  const std::vector<std::string>& kernels() const { return kernels_; }
  std::size_t processes() const { return processes_.size(); }

  // Which processes are compared; each is used once, so that the pairs of a kernel are independent.
  using Pairs = std::vector<std::pair<int, int>>;
  Pairs Neighbours() const { return Apart(1); }
  Pairs Distant() const { return Apart(processes_.size() / 2); }

  // Recordings of one variant by two processes, for both variants: must be the same.
  Tally Same(const std::string& kernel, const Pairs& pairs) const;
  // The kernel in one process against the kernel with 2 % more work in the other, in both directions: must be slower or
  // faster.
  Tally Slower(const std::string& kernel, const Pairs& pairs) const;

  // Medians over the processes: the kernel's time in microseconds, and the change of its cycles by 2 % more work within
  // a process (of its time, without clocks), 0.02 for 2 %.
  double TimeUs(const std::string& kernel) const;
  double Added(const std::string& kernel) const;

 private:
  const Recording* Find(const std::string& kernel, const std::string& variant, int process) const;
  Pairs Apart(std::size_t distance) const;

  std::vector<Recording> recordings_;
  std::map<std::pair<std::string, std::string>, std::map<int, const Recording*>> of_;
  std::vector<std::string> kernels_;
  std::vector<int> processes_;
};

}  // namespace culprit::testing
