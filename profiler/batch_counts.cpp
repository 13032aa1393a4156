// SPDX-License-Identifier: Apache-2.0
#include "profiler/batch_counts.h"

#include <algorithm>
#include <cmath>

namespace culprit {
namespace {

constexpr double kLeastCovered = 0.5;
// Fewer do not tell how much batches differ.
constexpr std::size_t kFewestBatches = 4;

// The records with their middle in [from_ns, to_ns).
std::span<const CountedInterval> RecordsAt(std::span<const CountedInterval> records, std::int64_t from_ns,
                                           std::int64_t to_ns) {
  const auto middle = [](const CountedInterval& record) {
    return record.start_ns + (record.end_ns - record.start_ns) / 2;
  };
  const auto first = std::ranges::lower_bound(records, from_ns, {}, middle);
  const auto last = std::ranges::lower_bound(records, to_ns, {}, middle);
  return {first, last};
}

double TimeWithin(const LaunchBatch& batch, const CountedInterval& record) {
  const std::int64_t ns = std::min(batch.end_ns, record.end_ns) - std::max(batch.begin_ns, record.start_ns);
  return static_cast<double>(std::max<std::int64_t>(ns, 0));
}

// The ratio of the quantiles that hold 90 % in Student's and in the normal distribution, to 2 % from three degrees of
// freedom on: the first terms of Cornish and Fisher's expansion at 1.645.
double Widening(std::size_t values) {
  const auto freedom = static_cast<double>(values - 1);
  return 1 + 0.927 / freedom + 0.863 / (freedom * freedom);
}

LaunchCount MeanOf(std::span<const double> values) {
  const auto count = static_cast<double>(values.size());
  double sum = 0, squares = 0;
  for (const double value : values) sum += value;
  const double mean = sum / count;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {mean, Widening(values.size()) * std::sqrt(squares / (count - 1) / count)};
}

}  // namespace

BatchCounts CountsPerLaunch(std::span<const LaunchBatch> batches, std::span<const CountedInterval> records,
                            std::int64_t idle_ns) {
  std::vector<std::vector<double>> values(records.empty() ? 0 : records.front().counts.size());  // by counter and batch
  double time = 0, with_records = 0;
  for (const LaunchBatch& batch : batches) {
    const auto own = RecordsAt(records, batch.begin_ns - idle_ns / 2, batch.end_ns + idle_ns / 2);
    const auto length = static_cast<double>(batch.end_ns - batch.begin_ns);
    double covered = 0;
    for (const CountedInterval& record : own) covered += TimeWithin(batch, record) / length;
    time += length;
    with_records += covered * length;
    if (covered < kLeastCovered) continue;
    for (std::size_t c = 0; c < values.size(); ++c) {
      double sum = 0;
      for (const CountedInterval& record : own) sum += record.counts[c];
      values[c].push_back(sum / covered / static_cast<double>(batch.launches));
    }
  }
  BatchCounts counts;
  counts.missing = time > 0 ? std::max(0.0, 1 - with_records / time) : 1;
  for (const std::vector<double>& of_batches : values)
    if (of_batches.size() >= kFewestBatches) counts.counters.push_back(MeanOf(of_batches));
  return counts;
}

std::optional<double> CountsPerUs(std::span<const LaunchBatch> batches, std::span<const CountedInterval> records,
                                  std::size_t counter) {
  constexpr double kNsPerUs = 1000;
  double counts = 0, ns = 0;
  for (const LaunchBatch& batch : batches)
    for (const CountedInterval& record : RecordsAt(records, batch.begin_ns, batch.end_ns)) {
      if (record.start_ns < batch.begin_ns || record.end_ns > batch.end_ns) continue;
      counts += record.counts[counter];
      ns += static_cast<double>(record.end_ns - record.start_ns);
    }
  if (!(ns > 0)) return std::nullopt;
  return counts / ns * kNsPerUs;
}

}  // namespace culprit
