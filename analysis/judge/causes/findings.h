// SPDX-License-Identifier: Apache-2.0
// Finds what holds one kernel back: asks every cause that can judge a single kernel (cause.h).
#pragma once
#include <string>
#include <vector>

#include "analysis/judge/causes/cause.h"

namespace culprit {

struct Evidence {
  std::string id;  // of KernelView
  double value = 0;
  std::string unit;  // as in the catalogue of metrics
};

struct Finding : Opinion {
  std::string id;  // of the cause
  std::vector<Evidence> evidence;
};

struct NotJudged {
  std::string id;  // of the cause
  struct Missing {
    std::string id;
    Absence why;
  };
  std::vector<Missing> missing;
};

struct Findings {
  // The heaviest come first. Those without a weight follow in the table's order. Good ones come last.
  std::vector<Finding> findings;
  std::vector<NotJudged> not_judged;
  // The number of causes that had all their metrics but found nothing, or less than a hundredth of the time.
  int silent = 0;
};

Findings JudgeKernel(const KernelView& kernel);
// The same for one cause.
Findings JudgeKernel(const KernelView& kernel, const Cause& cause);

}  // namespace culprit
