// SPDX-License-Identifier: Apache-2.0
// The samples that can be used, and parts of them.
#pragma once
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "bench/phases/layout.h"
#include "bench/phases/phase_fit.h"

namespace culprit {

struct UsableSamples {
  PmSamples all;
  std::vector<std::uint32_t> used;  // ascending
  std::int64_t origin_ns = 0;       // start of the first
  double mean_ns = 0, total_ns = 0;
  const double* Values(std::size_t sample) const { return all.values.data() + sample * all.counters; }
};

UsableSamples FindUsable(const PmSamples& samples);

// Some of the samples as blocks of neighbours, spread evenly, and the launches that touch them.
struct SampleBlocks {
  std::vector<std::uint32_t> used;
  std::vector<ClassLaunch> launches;
};
SampleBlocks TakeBlocks(const UsableSamples& samples, std::span<const ClassLaunch> launches, std::size_t most,
                        std::int64_t margin_ns);

// Those to fit: all if there are few; else blocks, and all samples near the edges of launches of which there are few.
std::vector<std::uint32_t> TakeForFit(const UsableSamples& samples, std::span<const ClassLaunch> launches,
                                      const Layout& layout, std::size_t classes, double offset_ns);

// Moves all stamps by independent normal errors. The launches stay sorted.
void ScatterStamps(std::vector<ClassLaunch>& launches, std::size_t classes, double deviation_ns);

}  // namespace culprit
