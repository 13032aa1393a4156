// SPDX-License-Identifier: Apache-2.0
#include "bench/phases/samples.h"

#include <algorithm>
#include <random>

namespace culprit {
namespace {

constexpr std::size_t kBlock = 64;  // samples
// More samples make the fit only slower: this many tell a class of which they have 10,000 to 0.1 %.
constexpr std::size_t kMostFitted = 250'000;
constexpr double kFewLaunches = 4000;
constexpr std::size_t kNearEdge = 16;  // samples

// Calls take(i) for about `most` of `count` indices, in blocks that are spread evenly.
template <class Take>
void ForEachBlock(std::size_t count, std::size_t most, Take take) {
  const std::size_t wanted = most / kBlock;
  for (std::size_t b = 0; b < wanted; ++b) {
    const std::size_t first = b * (count - kBlock) / (wanted - 1);
    for (std::size_t i = first; i < first + kBlock; ++i) take(i);
  }
}

}  // namespace

UsableSamples FindUsable(const PmSamples& samples) {
  UsableSamples usable{samples, {}, 0, 0, 0};
  if (samples.counters == 0) return usable;
  const std::size_t count =
      std::min({samples.start_ns.size(), samples.end_ns.size(), samples.values.size() / samples.counters});
  usable.used.reserve(count);
  for (std::size_t s = 0; s < count; ++s) {
    if (samples.end_ns[s] <= samples.start_ns[s]) continue;
    if (!usable.used.empty() && samples.start_ns[s] < samples.end_ns[usable.used.back()]) continue;
    const double* values = usable.Values(s);
    if (!std::all_of(values, values + samples.counters, [](double v) { return std::isfinite(v); })) continue;
    usable.used.push_back(static_cast<std::uint32_t>(s));
    usable.total_ns += static_cast<double>(samples.end_ns[s] - samples.start_ns[s]);
  }
  if (usable.used.empty()) return usable;
  usable.origin_ns = samples.start_ns[usable.used.front()];
  usable.mean_ns = usable.total_ns / static_cast<double>(usable.used.size());
  return usable;
}

SampleBlocks TakeBlocks(const UsableSamples& samples, std::span<const ClassLaunch> launches, std::size_t most,
                        std::int64_t margin_ns) {
  SampleBlocks blocks;
  if (samples.used.size() <= most)
    blocks.used = samples.used;
  else
    ForEachBlock(samples.used.size(), most, [&](std::size_t i) { blocks.used.push_back(samples.used[i]); });
  std::size_t next = 0;
  for (const ClassLaunch& launch : launches) {
    while (next < blocks.used.size() && samples.all.end_ns[blocks.used[next]] + margin_ns < launch.start_ns) ++next;
    if (next == blocks.used.size()) break;
    if (launch.end_ns > samples.all.start_ns[blocks.used[next]] - margin_ns) blocks.launches.push_back(launch);
  }
  return blocks;
}

std::vector<std::uint32_t> TakeForFit(const UsableSamples& samples, std::span<const ClassLaunch> launches,
                                      const Layout& layout, std::size_t classes, double offset_ns) {
  const std::size_t count = samples.used.size();
  if (count <= kMostFitted) return samples.used;
  std::vector<char> taken(count);
  ForEachBlock(count, kMostFitted, [&](std::size_t i) { taken[i] = 1; });
  std::vector<double> of_class(classes);
  for (const LaunchGroup& group : layout.groups) of_class[group.kernel_class] += group.launches;
  const auto take_near = [&](std::int64_t time) {
    const auto at = std::partition_point(samples.used.begin(), samples.used.end(),
                                         [&](std::uint32_t s) { return samples.all.end_ns[s] < time; });
    const auto i = static_cast<std::size_t>(at - samples.used.begin());
    for (std::size_t j = i - std::min(i, kNearEdge); j < std::min(i + kNearEdge, count); ++j) taken[j] = 1;
  };
  const auto offset = static_cast<std::int64_t>(offset_ns);
  for (const ClassLaunch& launch : launches) {
    if (!IsUsable(launch, classes)) continue;
    if (of_class[launch.kernel_class] >= kFewLaunches && layout.groups[layout.GroupOf(launch)].launches >= kFewLaunches)
      continue;
    take_near(launch.start_ns + offset);
    take_near(launch.end_ns + offset);
  }
  std::vector<std::uint32_t> used;
  for (std::size_t i = 0; i < count; ++i)
    if (taken[i]) used.push_back(samples.used[i]);
  return used;
}

void ScatterStamps(std::vector<ClassLaunch>& launches, std::size_t classes, double deviation_ns) {
  if (deviation_ns <= 0) return;
  std::mt19937_64 random(2);
  std::normal_distribution<double> error(0, deviation_ns);
  for (ClassLaunch& launch : launches) {
    if (!IsUsable(launch, classes)) continue;
    launch.start_ns += std::llround(error(random));
    launch.end_ns = std::max<std::int64_t>(launch.start_ns + 1, launch.end_ns + std::llround(error(random)));
  }
  std::stable_sort(launches.begin(), launches.end(),
                   [](const ClassLaunch& a, const ClassLaunch& b) { return a.start_ns < b.start_ns; });
}

}  // namespace culprit
