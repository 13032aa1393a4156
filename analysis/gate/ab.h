// SPDX-License-Identifier: Apache-2.0
// Two programs whose executions took turns: is one slower, with the execution as the unit, looked at until it is clear?
//
// Judged are the program, by the time in which the GPU worked for it (WorkUs), and the kernels that lead it, each by
// the median of its calls in an execution. Of the promised rate of false alarms half is the program's, half is shared
// by the kernels, so that the whole answer is wrong no more often than that (looks.h, and Bonferroni's inequality).
#pragma once
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/gate/check.h"
#include "analysis/verdict/looks.h"
#include "db/database.h"

namespace culprit {

// Of two programs that are one, so many are called different at most.
inline constexpr double kAbFalseAlarms = 0.005;
// Processes of either side: before the fewest there is nothing to look at, and after the most nothing more to hope for.
inline constexpr int kAbFewest = 8, kAbMost = 32;
// What is accepted where nobody says otherwise: half of a check's, since what lasts from run to run falls out here.
inline constexpr double kAbUsualLimit = 0.01;

enum class AbVerdict {
  kSlower,       // shown, and by more than the limit
  kWithinLimit,  // slower, and by no more than the limit
  kSame,         // not shown to differ; no slow-down beyond the limit
  kFaster,
  kOpen,  // a slow-down beyond the limit is neither shown nor excluded
};
std::string_view ToText(AbVerdict verdict);  // "slower" | "slower within the limit" | "the same" | "faster" | "open"

struct AbQuantity {
  std::string stage, shape;                             // empty: the program
  double share = 1;                                     // of the work of the base's first execution
  std::vector<double> base_us = {}, candidate_us = {};  // one of each execution, in order
  std::optional<Shift> change = {};  // at the level of the last look that had one, with the noise floor
  double noise_floor = 0;            // between executions that took turns
  AbVerdict verdict = AbVerdict::kOpen;
  bool is_clear = false;  // further executions would not change what follows from it

  bool IsProgram() const { return stage.empty(); }
};

// Verdict from an interval; without one kOpen.
AbVerdict JudgeAb(const std::optional<Shift>& change, double limit);

// Looks at the values that `quantity` has so far. `last`: it is not looked at again.
void LookAt(AbQuantity& quantity, LookSpending& spending, double limit, bool last);

class AbTest {
 public:
  // `limit`: a slow-down that is accepted, a share. `most`: executions of a side at the last look.
  AbTest(double limit, int most) : limit_(limit), most_(most) {}

  // Looks at executions so far, complete ones of either side in the order in which they ran. The first look chooses the
  // kernels. `last`: no further one follows.
  void Look(const Database& database, std::span<const RunSummary> base, std::span<const RunSummary> candidate,
            bool last);

  // Something is slower, or a slow-down of everything is excluded.
  bool IsClear() const;
  CheckStatus Status() const;

  double limit() const { return limit_; }
  int looks() const { return looks_; }
  const std::vector<AbQuantity>& quantities() const { return quantities_; }  // the program, then kernels, largest first
  // Whether any launch has a clock: those of recorded programs have none.
  bool has_clocks() const { return has_clocks_; }
  // By how much both sides became slower from the first half of the executions to the second; none: not shown.
  std::optional<double> Drift() const;

 private:
  struct Values {
    std::optional<double> work_us;
    std::map<std::string, double> kernels;  // by what names the launch
  };
  struct Followed {
    std::string base_key, candidate_key;  // empty: the program
    LookSpending spending;
  };
  const Values& ValuesOf(const Database& database, const RunSummary& run);
  void Choose(const Database& database, const RunSummary& base, const RunSummary& candidate);

  double limit_;
  int most_, looks_ = 0;
  bool has_clocks_ = false;
  std::map<RunId, Values> values_;
  std::vector<AbQuantity> quantities_;
  std::vector<Followed> followed_;  // of each quantity
};

}  // namespace culprit
