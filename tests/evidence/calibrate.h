// SPDX-License-Identifier: Apache-2.0
// Measures the error of estimated gains: compares each with the real gain of a stage that differs from its parent by
// losing the cause.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/launch/recording.h"
#include "analysis/number/measured.h"
#include "tests/support/recording.h"

namespace culprit {

// An edge of the ladder with one stage `with` the cause and the other `without`, whose size of the cause is at most
// half (GainRule::size). Either may be the parent: a stage that adds a cause also tests its removal.
struct Trial {
  std::string run;  // ShortUuid
  std::string with, without, shape, cause;
  double with_us = 0, without_us = 0;
  double went = 1;         // share of the cause's size that is gone; an edge need not remove all of it
  double estimate_us = 0;  // for removing that share
  // The part of the difference that culprit why attributes to this cause (PartsBeyondFloor); missing when it attributes
  // none or cannot tell.
  Measured attributed_us;
  std::vector<std::string> also;  // other causes removed on this edge, largest finding first
  std::vector<std::string> came;  // causes added: `with` has at most half of them, so the edge is not a pure removal
  // No other cause was removed, or Explain gives this one between half and twice the gain. Only then can the estimate
  // be compared with the whole gain.
  bool leads = false;

  double RealUs() const { return with_us - without_us; }
  // The stage without the cause is slower, beyond the spread of samples: something else replaced the cause, which
  // estimates exclude. Such trials are counted but have no ratio.
  bool IsOutweighed() const;
  bool IsAlone() const { return also.empty() && came.empty(); }
  // estimate / real. Both count at least kLeastVisibleGain of the time, below which a gain could not be seen.
  double Ratio() const;
};

// As for findings: the quartiles of a launch lie up to 0.8 % apart in 123 of 125 launches of db/recorded.
inline constexpr double kLeastVisibleGain = 0.01;

// A bound holds when the gain is at most this many times the bound, because times scatter too.
inline constexpr double kHeld = 1.1;

// With fewer edges the median describes those edges, not the typical error.
inline constexpr int kLeastExperiments = 3;

// Over the trials that lead and are not outweighed.
//
// An edge is one experiment, whatever the number of shapes and runs: they repeat the same code change. It counts with
// the median of ln(ratio) over them. Two edges from one stage are two experiments, though they test the same estimate.
struct CauseError {
  std::string cause;
  int experiments = 0;  // edges
  int trials = 0;       // edges x shapes x runs
  // Like worst_factor, kUndefined without experiments.
  Measured median_ratio = Measured::Missing(Absence::kUndefined);
  // Typical: exp of the median |ln ratio|. kUndefined below kLeastExperiments.
  Measured error_factor = median_ratio;
  Measured worst_factor = median_ratio;
  int outweighed = 0;  // trials, leading or not
  // estimate / the part that Explain attributes to the cause, over all trials where both have the same sign.
  int attributed = 0;  // edges
  Measured attributed_ratio = median_ratio;
  // The same over every edge on which no other cause went away and none came, whatever Explain says of it; outweighed
  // ones count as a gain of kLeastVisibleGain. What leads was chosen with the help of Explain, these were not.
  int alone = 0;         // edges
  int alone_trials = 0;  // edges x shapes x runs
  Measured alone_factor = median_ratio;
  Measured alone_worst = median_ratio;
  Measured alone_most = median_ratio;  // 90 % are within this factor
  int alone_held = 0;                  // edges whose gain is at most kHeld times the estimate, as a bound promises
};

struct Calibration {
  std::vector<Trial> trials;       // by run, edge and shape; largest estimate first
  std::vector<CauseError> causes;  // causes with any trial, in the order of Causes()
  // Totals over all causes, over causes with an estimate, and over causes with a bound. Their `cause` is "all",
  // "estimates", "bounds".
  CauseError all, estimates, bounds;
};

// `stages` define the edges (StageRecord::parent), at every shape where both stages ran.
std::vector<Trial> TrialsOf(const Recording& recording, std::span<const StageRecord> stages);
Calibration Calibrate(std::vector<Trial> trials);

}  // namespace culprit
