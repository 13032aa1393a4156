// SPDX-License-Identifier: Apache-2.0
// One kernel over runs: where its time changed for good, and why.
//
// Runs stand in the order in which they were recorded. Each is held against all runs since the last change together,
// so that a time that creeps is found as well once its steps add up; one that differs begins anew. Of n runs n - 1 are
// held so, each with the (n - 1)th part of 1 %: a history without any change shows one in 1 of 100 at most
// (Bonferroni's inequality). The interval is that of Moses (verdict/shift.h), widened by the noise floor between runs
// that were recorded apart; of cycles where clocks are known, since clocks change from day to day, else of times.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analysis/verdict/shift.h"
#include "analysis/why/explainer.h"
#include "db/database.h"

namespace culprit {

struct HistoryPoint {
  KernelRecord kernel;  // with the samples of all executions of the label
  int executions = 1;   // of a program
  Measured median_us;
  bool by_cycles = false;  // `change` is of the cycles
  // Against the runs since the last change; none for the first, and where there are too few values to say.
  std::optional<Shift> change;
  bool is_change = false;
  int segment = 0;                         // 0, 1, 2: how many changes there were until now
  std::optional<Explanation> explanation;  // of a change, against the run before
};

struct History {
  std::string stage, shape;
  std::vector<HistoryPoint> points;
  double confidence = 0;              // of each interval
  std::vector<std::string> left_out;  // what could not be compared, a sentence each

  int Changes() const;
};

// `kernels`: launches of one stage at one shape, oldest first. Those that cannot be compared with the newest are left
// out. `executions` of each.
History MakeHistory(std::vector<KernelRecord> kernels, const std::vector<int>& executions, const Explainer& explain);

}  // namespace culprit
