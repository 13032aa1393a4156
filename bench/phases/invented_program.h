// SPDX-License-Identifier: Apache-2.0
// A made-up program whose counts are known: for tests and benchmarks of the fit. Kernels have smooth random profiles
// with a burst at their begin and a tail, log-normal counts, and gaps between them, as in the first simulation of the
// method. Samples have noise, and the stamps of launches have an offset and a scatter.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <random>
#include <vector>

#include "bench/phases/phase_fit.h"

namespace culprit {

struct InventedProgram {
  std::size_t classes = 20, counters = 6, streams = 1;
  double shortest_us = 3, longest_us = 30, seconds = 0.3, sample_us = 50, gap_us = 0.5;
  bool fixed_order = true;
  bool in_step = false;            // streams start each round together
  double duration_scatter = 0.02;  // normal; the count stays
  double varying = 0;              // log-normal; the count is proportional to the duration
  double offset_ns = 40, jitter_ns = 30, noise = 0.002;
  double edge_ns = 0;           // of a class: how far its starts and its ends are stamped too early or too late
  double launch_scatter = 0;    // of a launch's count
  std::vector<double> long_us;  // kernels that run once each, spread over the program; they are the last classes
  double background = 0;        // of another process all the time, as a share of the usual rate
  double dropped = 0;           // share of the samples, in blocks
  std::uint64_t seed = 1;
};

struct InventedRecord {
  std::vector<ClassLaunch> launches;
  std::vector<std::int64_t> starts, ends;
  std::vector<double> values;
  std::size_t classes = 0, counters = 0;
  std::vector<double> counts;      // classes x counters: mean count per launch
  std::vector<double> time_share;  // by class
  // classes x counters: the share of a launch's count until a relative time, at evenly spread times from 0 to 1.
  std::vector<std::array<double, 201>> cumulated;
  PmSamples Samples() const { return {starts, ends, values, counters}; }
};

inline InventedRecord Invent(const InventedProgram& program) {
  constexpr int kPoints = 200;
  constexpr std::int64_t kBegin = 1'700'000'000'000'000'000;  // a stamp as GPUs write them
  std::mt19937_64 random(program.seed);
  const auto uniform = [&](double low, double high) {
    return low + (high - low) * (static_cast<double>(random() >> 11U) * 0x1p-53);
  };
  const auto normal = [&] {
    return std::sqrt(-2 * std::log(1 - uniform(0, 1))) * std::cos(2 * std::numbers::pi * uniform(0, 1));
  };
  InventedRecord record;
  const std::size_t counters = record.counters = program.counters;
  const std::size_t classes = record.classes = program.classes + program.long_us.size();
  std::vector<double> duration(classes), count(classes * counters);
  std::vector<std::array<double, kPoints + 1>> cumulated(classes * counters);
  for (std::size_t k = 0; k < classes; ++k) {
    duration[k] =
        1000 * (k < program.classes ? std::exp(uniform(std::log(program.shortest_us), std::log(program.longest_us)))
                                    : program.long_us[k - program.classes]);
    for (std::size_t c = 0; c < counters; ++c) {
      count[k * counters + c] = std::exp(1.2 * normal()) * 100 * duration[k];
      const double a = uniform(-0.6, 0.6), b = uniform(-0.4, 0.4), burst = uniform(0, 3), tail = uniform(0, 0.9);
      auto& sum = cumulated[k * counters + c];
      double last = 0;
      for (int i = 0; i <= kPoints; ++i) {
        const double x = static_cast<double>(i) / kPoints;
        const double rate = std::max(0.02, 1 + a * std::cos(3.14159265 * x) + b * std::cos(6.2831853 * x) +
                                               burst * std::exp(-x / 0.05) - (x > 0.85 ? tail : 0));
        sum[static_cast<std::size_t>(i)] = i == 0 ? 0 : sum[static_cast<std::size_t>(i) - 1] + (last + rate) / 2;
        last = rate;
      }
      for (double& s : sum) s /= sum.back();
    }
  }
  struct True {
    double start, end;
    std::uint32_t kernel_class;
  };
  std::vector<True> launches;
  const double total = program.seconds * 1e9;
  std::vector<std::vector<std::uint32_t>> of_stream(program.streams);
  for (std::uint32_t k = 0; k < program.classes; ++k) of_stream[k % program.streams].push_back(k);
  std::vector<double> clock(program.streams, 0);
  std::vector<std::size_t> at(program.streams, 0);
  std::size_t next_long = 0;
  for (;;) {
    std::size_t stream = 0;
    for (std::size_t s = 1; s < program.streams; ++s)
      if (program.in_step ? at[s] < at[stream] : clock[s] < clock[stream]) stream = s;
    auto& order = of_stream[stream];
    if (at[stream] % order.size() == 0) {
      if (!program.fixed_order) std::shuffle(order.begin(), order.end(), random);
      if (program.in_step && stream == 0) {
        const double latest = *std::max_element(clock.begin(), clock.end());
        std::fill(clock.begin(), clock.end(), latest);
      }
    }
    std::uint32_t k = order[at[stream]++ % order.size()];
    if (stream == 0 && next_long < program.long_us.size() &&
        clock[0] > total * (static_cast<double>(next_long) + 0.5) / static_cast<double>(program.long_us.size() + 1)) {
      k = static_cast<std::uint32_t>(program.classes + next_long++);
      --at[stream];
    }
    const bool is_long = k >= program.classes;
    const double d = duration[k] * std::max(0.5, 1 + (is_long ? 0 : program.duration_scatter) * normal()) *
                     (is_long ? 1 : std::exp(program.varying * normal()));
    if (*std::min_element(clock.begin(), clock.end()) > total) break;
    launches.push_back({clock[stream], clock[stream] + d, k});
    clock[stream] += d + program.gap_us * 1000 * uniform(0.5, 1.5);
  }
  const double end = *std::max_element(clock.begin(), clock.end());
  const double period = program.sample_us * 1000, first = -3 * period;
  const auto samples = static_cast<std::size_t>((end - first) / period) + 3;
  std::vector<double> values(samples * counters);
  record.counts.assign(classes * counters, 0);
  std::vector<double> launched(classes), times(classes);
  for (const True& launch : launches) {
    const std::size_t k = launch.kernel_class;
    ++launched[k];
    times[k] += launch.end - launch.start;
    const double scale =
        (program.varying > 0 ? (launch.end - launch.start) / duration[k] : 1) * (1 + program.launch_scatter * normal());
    const auto from = static_cast<std::size_t>((launch.start - first) / period);
    const auto to = static_cast<std::size_t>((launch.end - first) / period);
    for (std::size_t c = 0; c < counters; ++c) {
      const double whole = count[k * counters + c] * scale;
      record.counts[k * counters + c] += whole;
      double before = 0;
      for (std::size_t s = from; s <= to; ++s) {
        const double edge = first + static_cast<double>(s + 1) * period;
        const double x = std::clamp((edge - launch.start) / (launch.end - launch.start), 0.0, 1.0) * kPoints;
        const auto i = std::min(static_cast<std::size_t>(x), static_cast<std::size_t>(kPoints - 1));
        const auto& sum = cumulated[k * counters + c];
        const double now = sum[i] + (sum[i + 1] - sum[i]) * (x - static_cast<double>(i));
        values[s * counters + c] += whole * (now - before);
        before = now;
      }
    }
  }
  const double all_time = std::accumulate(times.begin(), times.end(), 0.0);
  for (std::size_t k = 0; k < classes; ++k) {
    record.time_share.push_back(times[k] / all_time);
    for (std::size_t c = 0; c < counters; ++c)
      if (launched[k] > 0) record.counts[k * counters + c] /= launched[k];
  }
  bool drop = false;
  for (std::size_t s = 0; s < samples; ++s) {
    if (s % 100 == 0) drop = uniform(0, 1) < program.dropped;
    if (drop) continue;
    const double start = first + static_cast<double>(s) * period;
    record.starts.push_back(std::llround(start) + kBegin);
    record.ends.push_back(std::llround(start + period) + kBegin);
    for (std::size_t c = 0; c < counters; ++c)
      record.values.push_back((values[s * counters + c] + program.background * 200 * period) *
                              (1 + program.noise * normal()));
  }
  std::vector<double> early(classes), late(classes);
  for (std::size_t k = 0; k < classes; ++k) early[k] = program.edge_ns * normal(), late[k] = program.edge_ns * normal();
  for (const True& launch : launches) {
    const double shift = -program.offset_ns;
    const std::size_t k = launch.kernel_class;
    const auto start = std::llround(launch.start - early[k] + shift + program.jitter_ns * normal());
    const auto stop = std::llround(launch.end + late[k] + shift + program.jitter_ns * normal());
    record.launches.push_back({launch.kernel_class, start + kBegin, std::max(start, stop) + kBegin});
  }
  std::stable_sort(record.launches.begin(), record.launches.end(),
                   [](const ClassLaunch& a, const ClassLaunch& b) { return a.start_ns < b.start_ns; });
  record.cumulated = std::move(cumulated);
  return record;
}

}  // namespace culprit
