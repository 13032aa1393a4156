// SPDX-License-Identifier: Apache-2.0
#include "bench/phases/layout.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <unordered_set>

namespace culprit {
namespace {

// Launches within this factor share a profile.
constexpr double kSameDuration = 1.25;
// Stamps of short launches scatter by up to 0.2 us each, so their durations by 1 us from end to end.
constexpr double kStampScatterNs = 1000;
constexpr std::size_t kBins = 48;
constexpr std::size_t kMostGroups = 6;
// A group that touches fewer samples joins its neighbour: it could not be fitted alone.
constexpr double kFewestTouched = 24;
// Samples that touch a group, for each of its phases.
constexpr double kTouchedPerPhase = 6;
// A launch longer than this many samples has short phases at its ends, where a sample is shared with other launches.
constexpr double kLongInSamples = 6;
constexpr double kMostOfLong = 60, kSamplesOfLong = 16;

struct Bin {
  double longest = 0, launches = 0, total = 0;
};

double Touched(double launches, double total_ns, double sample_ns) { return launches + total_ns / sample_ns; }

void Join(std::vector<Bin>& bins, std::size_t i) {  // with the next
  bins[i + 1].launches += bins[i].launches;
  bins[i + 1].total += bins[i].total;
  bins.erase(bins.begin() + static_cast<std::ptrdiff_t>(i));
}

std::size_t SmallestPair(const std::vector<Bin>& bins) {
  std::size_t best = 0;
  for (std::size_t i = 1; i + 1 < bins.size(); ++i)
    if (bins[i].launches + bins[i + 1].launches < bins[best].launches + bins[best + 1].launches) best = i;
  return best;
}

// Short at both ends, where kernels change most and neighbours meet. x - sin(2 pi x) / (2 pi) x kCrowding has the slope
// 1 - kCrowding at the ends.
constexpr double kCrowding = 0.7;
std::vector<double> EdgesOfShort(int phases) {
  std::vector<double> edges(static_cast<std::size_t>(phases) + 1);
  for (int q = 0; q <= phases; ++q) {
    const double x = static_cast<double>(q) / phases;
    edges[static_cast<std::size_t>(q)] = x - kCrowding * std::sin(2 * std::numbers::pi * x) / (2 * std::numbers::pi);
  }
  return edges;
}

// Phases that grow by a constant factor from both ends, where the first has the length of a sample.
std::vector<double> EdgesOfLong(int phases, double first) {
  const int half = phases / 2;
  double low = 1, high = 1e6;
  const auto sum = [&](double factor) {
    double total = 0, width = first;
    for (int i = 0; i < half; ++i, width *= factor) total += width;
    return total;
  };
  for (int i = 0; i < 100; ++i) (sum((low + high) / 2) < 0.5 ? low : high) = (low + high) / 2;
  std::vector<double> edges{0};
  double width = first;
  for (int i = 0; i + 1 < half; ++i, width *= low) edges.push_back(edges.back() + width);
  edges.push_back(0.5);
  for (int i = half - 1; i >= 0; --i) edges.push_back(1 - edges[static_cast<std::size_t>(i)]);
  return edges;
}

void SetPhases(LaunchGroup& group, int phases, double sample_ns) {
  const double in_samples = group.MeanNs() / sample_ns;
  if (phases <= 1)
    group.edges = {0, 1};
  else if (in_samples > kLongInSamples && phases > 3)
    group.edges = EdgesOfLong(phases / 2 * 2, std::min(1 / in_samples, 1.0 / phases));
  else
    group.edges = EdgesOfShort(phases);
  group.unknowns = group.Phases() == 1 ? 1 : static_cast<int>(group.edges.size());
}

void SetColumns(Layout& layout) {
  layout.columns = 0;
  for (LaunchGroup& group : layout.groups) {
    group.column = layout.columns;
    layout.columns += group.unknowns;
  }
}

}  // namespace

bool IsUsable(const ClassLaunch& launch, std::size_t classes) {
  return launch.kernel_class < classes && launch.end_ns > launch.start_ns;
}

Layout GroupLaunches(std::span<const ClassLaunch> launches, std::size_t classes, double sample_ns) {
  struct Range {
    double least = std::numeric_limits<double>::infinity(), most = 0, launches = 0, total = 0;
    double log_least = 0, per_bin = 0;  // bins for each unit of the logarithm
    std::size_t bins = 1, first = 0;
  };
  std::vector<Range> ranges(classes);
  for (const ClassLaunch& launch : launches) {
    if (!IsUsable(launch, classes)) continue;
    Range& r = ranges[launch.kernel_class];
    const auto duration = static_cast<double>(launch.end_ns - launch.start_ns);
    r.least = std::min(r.least, duration);
    r.most = std::max(r.most, duration);
    r.launches += 1;
    r.total += duration;
  }
  std::size_t count = 0;
  bool several = false;
  for (Range& r : ranges) {
    r.first = count;
    if (r.launches == 0) {
      r.bins = 0;
      continue;
    }
    const double width = std::log(std::max(kSameDuration, 1 + kStampScatterNs / r.least));
    r.log_least = std::log(r.least);
    const double wanted = std::ceil((std::log(r.most) - r.log_least) / width + 1e-9);
    r.bins = static_cast<std::size_t>(std::clamp(wanted, 1.0, static_cast<double>(kBins)));
    r.per_bin = 1 / std::max(width, (std::log(r.most) - r.log_least) / static_cast<double>(kBins));
    several |= r.bins > 1;
    count += r.bins;
  }
  std::vector<Bin> bins(count);
  if (several)
    for (const ClassLaunch& launch : launches) {
      if (!IsUsable(launch, classes)) continue;
      const Range& r = ranges[launch.kernel_class];
      if (r.bins == 1) continue;
      const auto duration = static_cast<double>(launch.end_ns - launch.start_ns);
      const double place = (std::log(duration) - r.log_least) * r.per_bin;
      Bin& bin = bins[r.first + std::min(static_cast<std::size_t>(std::max(place, 0.0)), r.bins - 1)];
      bin.launches += 1;
      bin.total += duration;
      bin.longest = std::max(bin.longest, duration);
    }
  Layout layout;
  layout.sample_ns = sample_ns;
  layout.first_group.push_back(0);
  for (std::size_t k = 0; k < classes; ++k) {
    const Range& r = ranges[k];
    std::vector<Bin> mine;
    if (r.bins == 1)
      mine.push_back({r.most, r.launches, r.total});
    else
      for (std::size_t b = 0; b < r.bins; ++b)
        if (bins[r.first + b].launches > 0) mine.push_back(bins[r.first + b]);
    while (mine.size() > kMostGroups) Join(mine, SmallestPair(mine));
    for (std::size_t b = 0; b < mine.size() && mine.size() > 1;) {
      if (Touched(mine[b].launches, mine[b].total, sample_ns) >= kFewestTouched) {
        ++b;
      } else if (b + 1 < mine.size()) {
        Join(mine, b);
      } else {
        Join(mine, b - 1);
        break;
      }
    }
    for (const Bin& bin : mine)
      layout.groups.push_back({static_cast<std::uint32_t>(k), bin.longest, bin.launches, bin.total, 0, 1, {}});
    layout.first_group.push_back(static_cast<std::uint32_t>(layout.groups.size()));
  }
  return layout;
}

void ChoosePhases(Layout& layout, int phases, int most_unknowns, double sampled_share,
                  std::span<const Detail> details) {
  std::vector<std::size_t> by_time(layout.groups.size());
  std::iota(by_time.begin(), by_time.end(), std::size_t{0});
  std::stable_sort(by_time.begin(), by_time.end(),
                   [&](std::size_t a, std::size_t b) { return layout.groups[a].total_ns > layout.groups[b].total_ns; });
  const auto detail = [&](std::size_t g) { return details.empty() ? Detail::kPhases : details[g]; };
  int left = most_unknowns - 1;
  int room = left;                                   // for one unknown each
  std::vector<int> wanted(layout.groups.size(), 0);  // phases; 0: a constant rate at most
  for (const std::size_t g : by_time) {
    LaunchGroup& group = layout.groups[g];
    const bool is_known = detail(g) != Detail::kNone && room-- > 0;
    group.unknowns = is_known ? 1 : 0;
    group.edges = {0, 1};
    left -= group.unknowns;
    if (!is_known || detail(g) != Detail::kPhases) continue;
    const double touched = sampled_share * Touched(group.launches, group.total_ns, layout.sample_ns);
    // One launch may last for many samples, and then its rate can be followed closely.
    const double most =
        std::max<double>(phases, std::min<double>(kMostOfLong, group.MeanNs() / layout.sample_ns / kSamplesOfLong));
    wanted[g] = static_cast<int>(std::clamp(touched / kTouchedPerPhase, 1.0, phases > 1 ? most : 1.0));
  }
  // Where there are more groups than unknowns for all their phases, all have fewer, by the root of their time: a kernel
  // with a constant rate takes a part of its neighbours' counts, whatever they have.
  const auto given = [&](std::size_t g, double factor) {
    return std::clamp(static_cast<int>(factor * std::sqrt(layout.groups[g].total_ns)), 1, std::max(1, wanted[g]));
  };
  double low = 0, high = 1;  // the factor; 1 ns^-0.5 is more than any needs
  for (int i = 0; i < 60; ++i) {
    const double factor = (low + high) / 2;
    int sum = 0;
    for (std::size_t g = 0; g < wanted.size(); ++g) sum += given(g, factor) > 1 ? given(g, factor) : 0;
    (sum <= left ? low : high) = factor;
  }
  for (const std::size_t g : by_time) {
    if (wanted[g] == 0) continue;
    LaunchGroup& group = layout.groups[g];
    // intervals; one unknown more than for a constant rate each
    SetPhases(group, std::min(given(g, low), left), layout.sample_ns);
    left -= group.unknowns - 1;
  }
  SetColumns(layout);
}

void CoarsenPhases(Layout& layout) {
  for (LaunchGroup& group : layout.groups)
    if (group.unknowns > 0) SetPhases(group, std::max(1, static_cast<int>(group.Phases()) * 2 / 3), layout.sample_ns);
  SetColumns(layout);
}

double MeanNeighbours(const Layout& layout, std::span<const ClassLaunch> launches, std::size_t classes,
                      double sample_ns) {
  constexpr std::size_t kStretch = 4096, kStretches = 16, kMostAhead = 64;
  std::unordered_set<std::uint64_t> pairs;
  const std::size_t stride = std::max(kStretch, launches.size() / kStretches);
  for (std::size_t first = 0; first < launches.size(); first += stride)
    for (std::size_t i = first; i < std::min(first + kStretch, launches.size()); ++i) {
      if (!IsUsable(launches[i], classes)) continue;
      const std::uint64_t mine = layout.GroupOf(launches[i]);
      const double until = static_cast<double>(launches[i].end_ns) + sample_ns;
      for (std::size_t j = i + 1; j < std::min(i + kMostAhead, launches.size()); ++j) {
        if (static_cast<double>(launches[j].start_ns) > until) break;
        if (!IsUsable(launches[j], classes)) continue;
        const std::uint64_t other = layout.GroupOf(launches[j]);
        if (mine != other) pairs.insert((std::max(mine, other) << 32U) | std::min(mine, other));
      }
    }
  return layout.groups.empty() ? 0 : 2 * static_cast<double>(pairs.size()) / static_cast<double>(layout.groups.size());
}

}  // namespace culprit
