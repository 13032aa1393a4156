// SPDX-License-Identifier: Apache-2.0
// The unknowns of the fit: which launches share a profile, and where its phases begin.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bench/phases/phase_fit.h"

namespace culprit {

// Launches of one class with about the same duration. They share a profile.
struct LaunchGroup {
  std::uint32_t kernel_class = 0;
  double longest_ns = 0;  // the group has the launches of its class up to this duration
  double launches = 0;
  double total_ns = 0;
  // Its rate is piecewise linear between edges, as a sum of basis functions, one for each edge: 1 there, and 0 at its
  // neighbours. The first unknown is the count of the first function, each later one has one function more, and so the
  // last is the whole count: a launch that lies within a sample has only this one in the sample's row. With a single
  // unknown the rate is constant.
  int column = 0;             // of the first unknown
  int unknowns = 1;           // 0: it has none of its own, and shares the rate of Layout::Rest()
  std::vector<double> edges;  // from 0 to 1; as many as unknowns, but at least 2
  int Last() const { return column + unknowns - 1; }
  std::size_t Phases() const { return edges.size() - 1; }
  // Half of the width between the edge's neighbours, the area of its basis function.
  double Area(std::size_t edge) const {
    return (edges[std::min(edge + 1, edges.size() - 1)] - edges[edge == 0 ? 0 : edge - 1]) / 2;
  }
  double MeanNs() const { return total_ns / launches; }
};

struct Layout {
  std::vector<LaunchGroup> groups;         // by class, then by duration
  std::vector<std::uint32_t> first_group;  // of each class, and one more
  double sample_ns = 0;                    // mean length of the samples
  int columns = 0;                         // of all groups
  // The rate of all launches whose groups have no unknowns, and that of the background.
  int Rest() const { return columns; }
  int Background() const { return columns + 1; }
  int Unknowns() const { return columns + 2; }
  std::uint32_t GroupOf(const ClassLaunch& launch) const {
    std::uint32_t g = first_group[launch.kernel_class];
    const auto duration = static_cast<double>(launch.end_ns - launch.start_ns);
    while (g + 1 < first_group[launch.kernel_class + 1] && duration > groups[g].longest_ns) ++g;
    return g;
  }
};

bool IsUsable(const ClassLaunch& launch, std::size_t classes);

// Groups without phases.
Layout GroupLaunches(std::span<const ClassLaunch> launches, std::size_t classes, double sample_ns);

enum class Detail : char {
  kNone,   // never runs in the samples that are used
  kWhole,  // never cut by an edge of these samples, so that its phases do not matter
  kPhases,
};

// `details`: by group; all have phases if it is empty. At most `phases` for each group (more for long launches), and at
// most about `most_unknowns` in all. Where these do not suffice, phases are in proportion to the root of a group's time.
void ChoosePhases(Layout& layout, int phases, int most_unknowns, double sampled_share,
                  std::span<const Detail> details = {});

// Two thirds of the phases.
void CoarsenPhases(Layout& layout);

// How many other groups a group meets within a sample, on average. Looks at a part of the launches.
double MeanNeighbours(const Layout& layout, std::span<const ClassLaunch> launches, std::size_t classes,
                      double sample_ns);

}  // namespace culprit
