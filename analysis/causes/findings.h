// SPDX-License-Identifier: Apache-2.0
// What holds one kernel back: the causes that have something to say of one kernel, each in its room (cause.h).
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analysis/kernel/kernel_view.h"

namespace culprit {

struct Cause;

struct Evidence {
  std::string id;  // of KernelView
  double value = 0;
  std::string unit;  // the catalogue's
};

struct Finding {
  std::string id;
  std::string text;
  std::optional<double> weight_us;
  std::vector<Evidence> evidence;
  std::string brief;
  bool good = false;  // Opinion::good
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
  std::vector<Finding> findings;  // heaviest first, then those without a weight in the table's order; good ones last
  std::vector<NotJudged> not_judged;
  // Causes that had all they need and nothing to say, or nothing that matters: less than a hundredth of the time.
  int silent = 0;
};

Findings JudgeKernel(const KernelView& kernel);
// Of one cause alone.
Findings JudgeKernel(const KernelView& kernel, const Cause& cause);

}  // namespace culprit
