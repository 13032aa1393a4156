// SPDX-License-Identifier: Apache-2.0
// Compares CountersOfSamples with the counters of recordings that have both.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/program/counters_of_samples.h"
#include "db/database.h"

namespace culprit::testing {

// A launch with counters and samples.
struct StudiedLaunch {
  std::string recording, gpu, name;
  SamplingRecord sampling;
  std::map<std::string, double> counters;  // by id
  std::map<std::int64_t, double> exact;    // by pc offset: executions, counted by patched code
  std::optional<double> warps;             // none: it has several kernels

  double Counter(const std::string& id) const;  // 0: not counted
  double Uneven() const;
};

// Of all recordings of this repository, in the order of their names.
std::vector<StudiedLaunch> StudiedLaunches();

// Launches whose counters come from another recording of the same code.
std::vector<StudiedLaunch> LaunchesCountedElsewhere();

// The launch with about `samples` of its samples, chosen at random.
StudiedLaunch Thinned(const StudiedLaunch& launch, double samples);

// Its counters that a GPU can sample.
std::vector<Reading> TotalsOf(const StudiedLaunch& launch);

// What the library makes of the samples beside what was counted.
struct Compared {
  const StudiedLaunch* launch = nullptr;
  SampledCounter sampled;
  double counted = 0;

  bool Holds() const;  // within the 90 % interval, or one event of it
};
// Without ids that were not counted. `with_warps`: tell the library how many warps there were.
std::vector<Compared> Compare(const StudiedLaunch& launch, bool with_warps = true);

}  // namespace culprit::testing
