// SPDX-License-Identifier: Apache-2.0
// A timeline as Chrome trace events (JSON), which ui.perfetto.dev and chrome://tracing open. The format is Google's
// "Trace Event Format": times are microseconds.
//   process         a GPU
//   thread          a CUDA stream: kernels as complete events ("X") with grid, block, registers and NVTX range. What
//                   overlaps on one stream (kernels of a graph, streams of two processes) has further threads
//   thread          NVTX ranges of a stream (analysis/timeline/range_slices.h); copies and memsets; times whose launches
//                   are not listed
//   counter         a rate of a unit (analysis/timeline/unit_rates.h has the formulas). A value holds from its bin's
//                   start. There is no event for a bin in which it was not measured, so a track keeps its last value
//                   there. The name of a track with such bins says so
#pragma once
#include <ostream>
#include <span>
#include <string>

#include "db/database.h"
#include "db/timeline.h"

namespace culprit {

// `kernels`: all launches of the run.
void WritePerfetto(const RunSummary& run, const TimelineRecord& timeline, std::span<const KernelRecord> kernels,
                   std::ostream& out);

}  // namespace culprit
