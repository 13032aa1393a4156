// SPDX-License-Identifier: Apache-2.0
// The members of the records in a trace, in order, like db/fields.h. Private to profiler/trace/.
#pragma once
#include <array>
#include <string_view>
#include <tuple>

#include "db/fields.h"
#include "profiler/trace/trace.h"

namespace culprit {

inline constexpr std::string_view kTraceMagic = "culprit-trace\t3";

template <>
inline constexpr std::array kNames<TraceMode> = {"time", "count", "exact", "sample"};

template <>
inline constexpr std::array kNames<CaptureKind> = {"all", "time", "range", "profiler-api"};
auto Fields(Is<Capture> auto& c) { return std::tie(c.kind, c.delay_s, c.duration_s, c.range); }

template <>
inline constexpr Place kFirst<LaunchGeometry> = At("launch", "grid_x");
auto Fields(Is<LaunchGeometry> auto& g) {
  return std::tie(g.grid_x, g.grid_y, g.grid_z, g.block_x, g.block_y, g.block_z, g.dynamic_shared_bytes);
}
// Without its kernel, range and times.
auto Fields(Is<TracedLaunch> auto& l) { return std::tie(l.geometry, l.device, l.context, l.stream, l.from_graph); }
auto Fields(Is<TracedCopy> auto& c) { return std::tie(c.kind, c.device, c.bytes, c.start_ns, c.end_ns); }
// Without its samples.
auto Fields(Is<Summed> auto& s) {
  return std::tie(s.calls, s.bytes, s.time_ns, s.slowest_ns, s.first_ns, s.last_ns, s.share_us);
}
template <>
inline constexpr Place kFirst<SourceFrame> = At("line_chain", "source_file");
auto Fields(Is<SourceFrame> auto& f) { return std::tie(f.file, f.line); }
template <>
inline constexpr Place kFirst<SourceQuote> = At("source_text", "source_file");
auto Fields(Is<SourceQuote> auto& q) { return std::tie(q.at.file, q.at.line, q.text); }
// Without its stage and attributes.
auto Fields(Is<BuildRecord> auto& b) { return std::tie(b.kernel, b.arch, b.cubin_digest); }

}  // namespace culprit
