// SPDX-License-Identifier: Apache-2.0
// How the launches' stamps lie relative to those of the samples: a constant offset, and a scatter. The offset is 0, as on
// GPUs that stamp both by one clock, unless the samples clearly say otherwise.
#pragma once
#include "bench/phases/normal_matrix.h"
#include "bench/phases/samples.h"

namespace culprit {

struct Alignment {
  double offset_ns = 0, offset_error_ns = 0;
  double jitter_ns = 0;
  // How each group's count changes with the offset, per nanosecond: groups x counters. Only if has_slopes: not if the
  // offset was looked for in a part of the groups.
  Rows slopes;
  bool has_slopes = false;
};

// `groups`: of all launches. Looks at a part of the samples.
Alignment Align(const Layout& groups, std::span<const ClassLaunch> launches, std::size_t classes,
                const UsableSamples& samples, const PhaseFitOptions& options);

}  // namespace culprit
