// SPDX-License-Identifier: Apache-2.0
// Turns PM samples of a GPU into counts per kernel class. While a program runs, the GPU writes the sums of its counters
// every 50 to 100 us. Kernels may be far shorter, may be longer, and may overlap. We know the class, start and end of
// every launch. For each class and counter a profile over the launch's relative time is fitted to all samples by least
// squares: this is equivalent-time sampling, as an oscilloscope does it. Each sample's value is then shared out among
// what ran in it, in proportion to the fit. So the sums are exact, and a launch much longer than a sample gets nearly
// its exact count.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace culprit {

// A kernel, copy or memset that ran on the GPU. Times in nanoseconds of the launches' clock.
struct ClassLaunch {
  std::uint32_t kernel_class;  // < classes. The same kernel with the same shape has the same class.
  std::int64_t start_ns, end_ns;
};

// The samples of one pass, which is one configuration of counters. Ascending, without overlap. Gaps are allowed:
// another pass ran meanwhile, or records were dropped.
struct PmSamples {
  std::span<const std::int64_t> start_ns, end_ns;  // of the samples' clock
  std::span<const double> values;                  // samples x counters, row by row: counts of the whole GPU
  std::size_t counters = 0;
};

enum class Background {
  kNone,       // nothing is counted while no launch runs
  kWhileIdle,  // a constant rate while no launch runs. A launch's count has everything that was counted while it ran.
  kAlways,     // a constant rate all the time, for another process that uses the GPU beside this one
};

struct PhaseFitOptions {
  // For each class. Classes with few samples get fewer, and launches that last for many samples get up to 60.
  int phases = 12;
  Background background = Background::kWhileIdle;
};

// One class and one counter.
struct ClassCount {
  double per_launch = 0;  // mean over the launches of the class
  // One sigma of `per_launch`. per_launch +- 1.645 x error holds the truth in 90 % of cases (phase_fit_test.cpp).
  double error = 0;
  // False: the samples cannot tell this class from what ran beside it, so its count is not measured. The sums still
  // contain what was given to the class.
  bool told_apart = false;
  double given = 0;  // the part of the counted total that was given to the class
  // Launches that differ in duration by more than a factor of about 1.25 are fitted separately. The smallest and the
  // largest mean count per launch among these groups; equal to per_launch for a single group.
  double least = 0, most = 0;
  // Counts per launch in each phase of its class; they add up to per_launch. count / (phase's share of the duration) is
  // the rate.
  std::vector<double> phase_counts;
  // One sigma of each phase's count. count +- 1.645 x error holds the truth in 92 % of phases of made-up kernels that are
  // shorter than a sample, and in 83 % where they are longer: a burst that is shorter than a phase is blurred.
  std::vector<double> phase_errors;
};

struct ClassPhases {
  std::size_t launches = 0;         // of the whole program
  double launches_sampled = 0;      // those within samples; a launch cut by a gap counts as the part that was sampled
  double mean_duration_ns = 0;      // of all launches
  std::vector<double> phase_edges;  // phases + 1 relative times from 0 to 1. Empty if nothing was fitted.
};

struct CounterSum {
  double counted = 0;     // over all samples
  double classes = 0;     // given to launches
  double unassigned = 0;  // counted while idle, or by other processes. classes + unassigned = counted
};

struct PhaseFit {
  // Launches' clock + offset = samples' clock: 0, or fitted if the samples clearly show an offset of 0.5 to 1.5 us.
  double offset_ns = 0;
  double offset_error_ns = 0;        // one sigma. The errors of all counts contain it.
  double jitter_ns = 0;              // standard deviation of the stamps of launches
  std::size_t samples = 0;           // that were used: those with a positive length and finite values
  std::vector<ClassPhases> classes;  // by class
  std::vector<ClassCount> counts;    // classes x counters, row by row
  std::vector<CounterSum> sums;      // by counter

  const ClassCount& Count(std::size_t kernel_class, std::size_t counter) const {
    return counts[kernel_class * sums.size() + counter];
  }
};

// `launches` must be sorted by start_ns. Left out: launches without a length, or of a class >= `classes`, and samples
// without a length, that overlap the sample before, or with a value that is not finite. Throws no error of its own:
// if nothing can be measured, no class is told apart. The same input gives the same result.
//
// The fit minimises the sum of squares of what is counted less what is predicted, plus a weak smoothing (prior.h), for
// a piecewise linear rate of each class (layout.h). Errors come from the scatter of random parts of the samples
// (sharing.h), the offset's error, and how much counts move when the fit gets coarser and stamps scatter more.
// Intervals were tested on made-up programs (invented_program.h), and hold 0.92 to 1.00 there. They hold only 0.68 when
// a kernel of 10 to 100 ms runs beside short kernels on another stream, without gaps: give such counts no weight.
//
// Time: about 1 us for a sample and its launches. Memory: 5 bytes for each sample and at most 24 for each launch in
// 50,000 samples, besides the unknowns: phases x classes, squared if many classes meet each other within samples. Then
// at most 1,200 unknowns are fitted, and 16,000 otherwise; classes beyond this share one rate, and are not told apart.
PhaseFit FitPhases(std::span<const ClassLaunch> launches, std::size_t classes, const PmSamples& samples,
                   const PhaseFitOptions& options = {});

}  // namespace culprit
