// SPDX-License-Identifier: Apache-2.0
// Comparisons of whole runs, made of recorded processes, to measure how often `culprit check` is wrong about one of
// many launches, and which slow-downs it finds.
#pragma once
#include <random>
#include <string>
#include <vector>

#include "analysis/gate/check.h"
#include "analysis/judge/difference/verdict.h"
#include "db/records.h"

namespace culprit::testing {

// One unchanged kernel in many processes, in the order in which they ran.
struct Series {
  std::string device;
  std::vector<std::vector<Sample>> processes;
};

// tests/noise/h100.csv: 5 kernels in 2 variants, which are 10 unchanged kernels, in 45 processes of 16 samples.
std::vector<Series> SeriesOfH100();
// tests/noise/ab_h200.csv: the program and its kernels, one value per process and no clocks. Each GPU of a pair of loops
// is a series of its own.
std::vector<Series> SeriesOfH200();

// How the processes of the two sides are chosen.
struct Design {
  Recorded recorded;  // in turns: neighbours, base candidate, candidate base. Apart: one block each
  int processes;      // per side
  int launches = 120;
  double slowdown = 0;  // of one launch
};

// A comparison of two runs of unchanged kernels. Launch 0 is slower by Design::slowdown.
struct GateRun {
  std::vector<KernelRecord> base, candidate;
};
GateRun MakeGateRun(const std::vector<Series>& series, const Design& design, std::mt19937_64& random);

// As `culprit check` judges it, without causes.
Check CheckOf(const GateRun& run, double limit);
// Whether a launch is slower by more than the limit by its own verdict. Before the family was judged as a whole, this
// was a regression.
bool IsSlowerAlone(const CheckedLaunch& launch, double limit);

}  // namespace culprit::testing
