// SPDX-License-Identifier: Apache-2.0
// docs/evidence/gate.md: how often `culprit check` is wrong about a whole run, and which slow-downs it finds.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "db/database.h"
#include "tests/noise/gate_runs.h"

namespace culprit::testing {

// What was found in gate runs of one design.
struct GateTally {
  std::string gpu;
  Design design{};
  double limit = 0;
  int runs = 0;
  int alone = 0;        // runs with a launch that is slower by its own verdict, among those that did not change
  int regressions = 0;  // runs with a regression among the launches that did not change
  int suspects = 0;     // runs with a suspect among them, and no regression
  int found = 0;        // runs in which the launch that is slower is a regression
  int suspected = 0;    // runs in which it is suspect
};
GateTally TallyOf(const std::string& gpu, const std::vector<Series>& series, const Design& design, double limit,
                  int runs);

// Two runs of the recordings that ship, each one process, with the same code in some launches.
struct RunPair {
  std::string base, candidate;  // UUIDs
  int launches = 0;
  int alone = 0, suspects = 0, regressions = 0;  // launches, as in GateTally
  int of_slower = 0;                             // suspects, if each launch is made 5 % slower
};
// Each pair in both directions is one entry with the sums of both.
std::vector<RunPair> PairsOf(std::span<const std::vector<KernelRecord>> runs, double limit);

// The largest rate at which `wrong` of `all` are not surprising: the upper end of the exact interval of 95 % (Clopper
// and Pearson).
double HighestRate(int wrong, int all);

std::string GateDocument(std::span<const GateTally> unchanged, std::span<const GateTally> slower,
                         std::span<const RunPair> pairs, const MeasuredRunNoise& noise);

}  // namespace culprit::testing
