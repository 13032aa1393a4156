// SPDX-License-Identifier: Apache-2.0
// How right `why` is by the size of the change: planted pairs of which the candidate does only a part (diluted.h).
#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "analysis/judge/difference/verdict.h"
#include "db/database.h"
#include "tests/planted/score.h"

namespace culprit::testing {

inline constexpr double kDilutions[] = {1, 0.25, 0.1, 0.05, 0.02};

// What 99 of 100 pairs of runs differ by less than, if they were recorded apart (analysis/launch/machine.cpp; an H100).
inline constexpr double kNoiseApart = 0.01;

// What `why` says of one pair at one size.
struct SmallChange {
  std::string pair, shape, planted;
  double part = 0;  // the candidate's part of the work
  Speed speed = Speed::kAmbiguous;
  bool named = false;  // the headline names the first cause
  Parts said;
  double true_us = 0;  // what the planted cause costs

  bool IsRight() const { return said.First() == planted; }
};

// Every pair of answers.csv at every size that was recorded with counters, diluted to each of kDilutions. Base and
// candidate are recorded again, so no measured value of one is the other's. `noise`: of RecordedAgain. What it makes of
// the change belongs to no cause, so the planted cause's truth is the change without it.
std::vector<SmallChange> JudgeSmallChanges(const Database& planted, const std::filesystem::path& answers,
                                           double noise = kNoiseApart);

// Every part that `why` prints, beside the true part.
std::vector<Residual> ResidualsOf(std::span<const SmallChange> changes);

// A row for each dilution.
struct BySize {
  double part = 0, change = 0;  // the median
  int all = 0, different = 0;   // of those called different:
  int first = 0;                // the planted cause is first
  int named = 0, named_right = 0;
};
std::vector<BySize> SumBySize(std::span<const SmallChange> changes);

// In Markdown: how often `why` is right by the size of the change, and how often intervals hold the truth.
std::string SmallChangesReport(std::span<const SmallChange> changes);

// In Markdown: the wrong cases.
std::string WrongSmallChanges(std::span<const SmallChange> changes);

}  // namespace culprit::testing
