// SPDX-License-Identifier: Apache-2.0
// How good the estimates of gains are: each held against what a stage gained that differs from its parent and has the
// cause no more.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/kernel/recording.h"
#include "analysis/number/measured.h"

namespace culprit {

// Of an edge of the ladder one stage is `with` the cause and the other `without`: its size there is half or less
// (GainRule::size). Which of the two is the parent does not matter: a stage that adds a cause tests its removal, too.
struct Trial {
  std::string run;  // ShortUuid
  std::string with, without, shape, cause;
  double with_us = 0, without_us = 0;
  double went = 1;         // share of the cause's size that is gone: an edge need not take all of it away
  double estimate_us = 0;  // of taking that share away
  // The share of the difference that culprit why's attribution gives to this cause (PartsBeyondFloor); missing when it
  // gives none, or could not say.
  Measured attributed_us;
  std::vector<std::string> also;  // other causes that went away on this edge, largest finding first
  std::vector<std::string> came;  // causes that `with` has half or less of: another experiment than a removal
  // No other cause went away, or Explain gives this one between half and twice the gain: only then the whole gain can
  // be held against it.
  bool leads = false;

  double RealUs() const { return with_us - without_us; }
  // The stage without the cause is slower by more than can be told from the spread of samples: something else took its
  // place, which every estimate excludes. No ratio is made of these, but they are counted.
  bool IsOutweighed() const;
  bool IsAlone() const { return also.empty() && came.empty(); }
  // estimate / real. Both count at least kLeastShare of the time, below which a gain could not be seen.
  double Ratio() const;
};

// As for findings: on the recorded H100 run the quartiles of a launch lie up to 1.0 % apart.
inline constexpr double kLeastShare = 0.01;

// A bound holds where the gain is at most so many times it: times scatter, too.
inline constexpr double kHeld = 1.1;

// Of fewer edges the median says what these gained, not what is typical.
inline constexpr int kLeastExperiments = 3;

// Over the trials that lead and are not outweighed.
//
// An edge is one experiment, at however many shapes and in however many runs it was measured: these repeat the same
// change of the same code. It counts with the median of ln(ratio) over them. Two edges from one stage are two
// experiments, though they test the same estimate.
struct CauseError {
  std::string cause;
  int experiments = 0;  // edges
  int trials = 0;       // edges x shapes x runs
  // kUndefined without experiments, and so is worst_factor.
  Measured median_ratio = Measured::Missing(Absence::kUndefined);
  // Typical: exp of the median |ln ratio|. kUndefined below kLeastExperiments.
  Measured error_factor = median_ratio;
  Measured worst_factor = median_ratio;
  int outweighed = 0;  // trials, leading or not
  // estimate / what Explain attributes to the cause, over all trials where that has its sign, leading or not.
  int attributed = 0;  // edges
  Measured attributed_ratio = median_ratio;
  // The same over every edge on which no other cause went away and none came, whatever Explain says of it; outweighed
  // ones count as a gain of kLeastShare. What leads was chosen with the help of Explain, these were not.
  int alone = 0;         // edges
  int alone_trials = 0;  // edges x shapes x runs
  Measured alone_factor = median_ratio;
  Measured alone_worst = median_ratio;
  Measured alone_most = median_ratio;  // nine in ten are within this factor
  int alone_held = 0;                  // edges whose gain is at most kHeld times the estimate, which a bound promises
};

struct Calibration {
  std::vector<Trial> trials;       // by run, edge and shape; largest estimate first
  std::vector<CauseError> causes;  // in the order of Causes(); those with any trial
  // Of all causes together, of those whose estimate is one, and of those whose estimate is a bound: `cause` is "all",
  // "estimates", "bounds".
  CauseError all, estimates, bounds;
};

// `stages` name the edges (StageRecord::parent), at every shape where both stages ran.
std::vector<Trial> TrialsOf(const Recording& recording, std::span<const StageRecord> stages);
Calibration Calibrate(std::vector<Trial> trials);

}  // namespace culprit
