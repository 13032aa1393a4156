// SPDX-License-Identifier: Apache-2.0
// Compares two programs that were executed in turns. Each execution is one value. The values are judged repeatedly
// while more arrive, until the answer is clear.
//
// The value of the program is its GPU work time (WorkUs). The value of a leading kernel is the median of its calls in
// an execution. The program gets half of the promised false-alarm rate, and the kernels share the other half. So the
// whole answer keeps that rate (looks.h, and Bonferroni's inequality).
#pragma once
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/gate/check.h"
#include "analysis/judge/difference/looks.h"
#include "db/database.h"

namespace culprit {

// If both programs are the same, at most this share of comparisons calls them different.
inline constexpr double kAbFalseAlarms = 0.005;
// Processes per side. With fewer than kAbFewest there is no verdict. More than kAbMost improve the verdict little.
inline constexpr int kAbFewest = 8, kAbMost = 32;
// The default limit. It is half of a check's, because differences between runs cancel here.
inline constexpr double kAbUsualLimit = 0.01;

enum class AbVerdict {
  kSlower,       // shown, and above the limit
  kWithinLimit,  // slower, but within the limit
  kSame,         // no difference shown; a slow-down above the limit is excluded
  kFaster,
  kOpen,  // a slow-down above the limit is neither shown nor excluded
};
std::string_view ToText(AbVerdict verdict);  // "slower" | "slower within the limit" | "the same" | "faster" | "open"

struct AbQuantity {
  std::string stage, shape;                             // empty: the program
  double share = 1;                                     // of the work of the base's first execution
  std::vector<double> base_us = {}, candidate_us = {};  // one value per execution, in order
  std::optional<Shift> change = {};  // at the level of the last look that had one, with the noise floor
  double noise_floor = 0;            // of executions that took turns
  AbVerdict verdict = AbVerdict::kOpen;
  bool is_clear = false;  // kSlower, or a slow-down above the limit is excluded

  bool IsProgram() const { return stage.empty(); }
};

// The verdict for an interval. kOpen if there is none.
AbVerdict JudgeAb(const std::optional<Shift>& change, double limit);

// Looks at the values of `quantity` so far. `last`: this is the last look.
void LookAt(AbQuantity& quantity, LookSpending& spending, double limit, bool last);

class AbTest {
 public:
  // `limit`: the accepted slow-down, a share. `most`: executions per side at the last look.
  AbTest(double limit, int most) : limit_(limit), most_(most) {}

  // Looks at all complete executions so far, in the order of their execution. The first look chooses the kernels.
  // `last`: this is the last look.
  void Look(const Database& database, std::span<const RunSummary> base, std::span<const RunSummary> candidate,
            bool last);

  // Whether a slow-down is shown, or is excluded for the program and every kernel.
  bool IsClear() const;
  CheckStatus Status() const;

  double limit() const { return limit_; }
  int looks() const { return looks_; }
  const std::vector<AbQuantity>& quantities() const { return quantities_; }  // the program, then kernels, largest first
  // Whether any launch has a clock; launches of recorded programs have none.
  bool has_clocks() const { return has_clocks_; }
  // The slow-down of both sides from the first half of the executions to the second. None if no drift is shown.
  std::optional<double> Drift() const;

 private:
  struct Values {
    std::optional<double> work_us;
    std::map<std::string, double> kernels;  // by launch name
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
  std::vector<Followed> followed_;  // one per quantity
};

}  // namespace culprit
