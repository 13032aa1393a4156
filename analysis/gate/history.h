// SPDX-License-Identifier: Apache-2.0
// One kernel over several runs: finds lasting changes of its time and explains them.
//
// Each run, in recording order, is compared with all runs since the last change. So a gradual change is found when its
// steps add up. A run that differs starts a new segment. Each of the n - 1 comparisons of n runs has the level
// 1 % / (n - 1). So of the histories without any change, at most 1 in 100 shows a false one (Bonferroni's inequality).
// The interval is Moses' (judge/difference/shift.h), widened by the noise floor of separate recordings. It compares
// cycles if clocks are known, because clocks change from day to day. Else it compares times.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analysis/judge/difference/shift.h"
#include "analysis/judge/why/explain.h"
#include "db/database.h"

namespace culprit {

struct HistoryPoint {
  KernelRecord kernel;  // with the samples of all executions with the label
  int executions = 1;   // of a program
  Measured median_us;
  bool by_cycles = false;  // `change` compares cycles, not times
  // Relative to the runs since the last change. None for the first run, and if there are too few values.
  std::optional<Shift> change;
  bool is_change = false;
  int segment = 0;                         // 0, 1, 2: number of changes so far
  std::optional<Explanation> explanation;  // for a change: of the difference from the previous run
};

struct History {
  std::string stage, shape;
  std::vector<HistoryPoint> points;
  double confidence = 0;              // of each interval
  std::vector<std::string> left_out;  // one sentence per run that cannot be compared

  int Changes() const;
};

// `kernels`: launches of one stage at one shape, oldest first. `executions`: their number for each launch. Leaves out
// launches that cannot be compared with the newest; `other_gpu`: those of other GPUs can.
History MakeHistory(std::vector<KernelRecord> kernels, const std::vector<int>& executions, const Explainer& explain,
                    bool other_gpu = false);

}  // namespace culprit
