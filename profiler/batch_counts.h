// SPDX-License-Identifier: Apache-2.0
// What a launch counts, from records of counters that a GPU wrote while batches of that launch ran. Uses no CUDA.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace culprit {

// Launches one after the other, with nothing beside them. Stamps are those of the host, before the first and after the
// last.
struct LaunchBatch {
  std::int64_t begin_ns = 0, end_ns = 0, launches = 0;
};

// What was counted in an interval, in the order of the counters.
struct CountedInterval {
  std::int64_t start_ns = 0, end_ns = 0;
  std::vector<double> counts;
};

// Per launch. `error` is one standard deviation: value +- 1.645 x error holds the mean of many launches nine times out
// of ten.
struct LaunchCount {
  double value = 0, error = 0;
};

struct BatchCounts {
  std::vector<LaunchCount> counters;  // empty: too few batches have records
  double missing = 0;                 // share of the batches' time without records, 0 to 1
};

// `records` are in order of time, each at most a quarter of `idle_ns` long. The GPU was idle for `idle_ns` before and
// after each batch. So a batch has all that its records count, those at its edges included, and stamps of the GPU and of
// the host may differ by a quarter of `idle_ns`.
//
// Where records of a batch are missing, the others stand for them by their share of its time. A batch with records of
// less than half of its time is left out. The error comes from the differences between batches, which hold both what
// varies between launches and what the missing records make uncertain.
BatchCounts CountsPerLaunch(std::span<const LaunchBatch> batches, std::span<const CountedInterval> records,
                            std::int64_t idle_ns);

// Counts of one counter per microsecond, in the records that lie within batches. Nullopt: there are none.
std::optional<double> CountsPerUs(std::span<const LaunchBatch> batches, std::span<const CountedInterval> records,
                                  std::size_t counter);

}  // namespace culprit
