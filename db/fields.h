// SPDX-License-Identifier: Apache-2.0
// The members of each record, in the order of its table's columns (db/columns.h), without ids. The database and
// profiler/trace store and read records by these lists.
#pragma once
#include <concepts>
#include <tuple>
#include <type_traits>

#include "db/code.h"
#include "db/columns.h"
#include "db/records.h"

namespace culprit {

template <class T, class Record>
concept Is = std::same_as<std::remove_const_t<T>, Record>;

// The column of a record's first member. The others follow it.
template <class Record>
inline constexpr Place kFirst{-1, nullptr};
template <>
inline constexpr Place kFirst<Device> = At("device", "name");
template <>
inline constexpr Place kFirst<Toolchain> = At("toolchain", "driver");
template <>
inline constexpr Place kFirst<MachineFigure> = At("machine_figure", "name");
template <>
inline constexpr Place kFirst<ProgramRecord> = At("program", "exit_status");
template <>
inline constexpr Place kFirst<ProgramCopy> = At("program_copy", "calls");
template <>
inline constexpr Place kFirst<ProgramLaunch> = At("program_launch", "name");
template <>
inline constexpr Place kFirst<StageRecord> = At("stage", "key");
template <>
inline constexpr Place kFirst<StaticAttribute> = At("static_attribute", "name");
template <>
inline constexpr Place kFirst<LaunchRecord> = At("launch", "arch");
template <>
inline constexpr Place kFirst<Sample> = At("sample", "repetition");
template <>
inline constexpr Place kFirst<MetricDefinition> = At("metric", "key");
template <>
inline constexpr Place kFirst<InterventionRecord> = At("intervention", "setting");
template <>
inline constexpr Place kFirst<MachineInstruction> = At("machine_instruction", "opcode");
template <>
inline constexpr Place kFirst<SamplingRecord> = At("sampling", "period_cycles");

auto Fields(Is<Device> auto& d) {
  return std::tie(d.name, d.chip, d.cc_major, d.cc_minor, d.sm_count, d.fp32_lanes_per_sm, d.sm_clock_mhz,
                  d.dram_bytes_per_s, d.memory_bytes, d.l2_bytes, d.shared_bytes_per_sm, d.registers_per_sm,
                  d.max_threads_per_sm, d.max_blocks_per_sm);
}
auto Fields(Is<Toolchain> auto& t) {
  return std::tie(t.driver, t.cuda_driver_api, t.cuda_runtime, t.cupti, t.nvcc, t.host_compiler);
}
// Without `measured_in`, which is known only when the figure is stored.
auto Fields(Is<MachineFigure> auto& f) { return std::tie(f.name, f.setting, f.value, f.unit); }
// Without its source and its copies.
auto Fields(Is<ProgramRecord> auto& p) {
  return std::tie(p.exit_status, p.processes, p.gpus, p.wall_us, p.counted_wall_us, p.span_us, p.idle_us,
                  p.lost_launches, p.capture);
}
template <>
inline constexpr Place kFirst<ProgramProcess> = At("program_process", "process");
auto Fields(Is<ProgramProcess> auto& p) { return std::tie(p.process, p.pid, p.rank, p.calls, p.time_us); }
// Without its kind.
auto Fields(Is<ProgramCopy> auto& c) { return std::tie(c.calls, c.bytes, c.time_us, c.share_us); }
template <>
inline constexpr Place kFirst<PythonFrame> = At("python_frame", "file");
auto Fields(Is<PythonFrame> auto& f) { return std::tie(f.file, f.line, f.function); }
// Without its stack.
auto Fields(Is<ProgramLaunch> auto& l) {
  return std::tie(l.name, l.nvtx, l.first, l.calls, l.time_us, l.share_us, l.graph_calls, l.counted, l.not_counted);
}
// Without its factors and shared accesses, which have tables of their own.
auto Fields(Is<StageRecord> auto& s) {
  return std::tie(s.id, s.family, s.parent, s.idea, s.constraint, s.source_file, s.source_line);
}
auto Fields(Is<StaticAttribute> auto& a) { return std::tie(a.name, a.source, a.value, a.status); }
// Without its stage.
auto Fields(Is<LaunchRecord> auto& l) {
  return std::tie(l.arch, l.shape, l.ordinal, l.kernel, l.grid_x, l.grid_y, l.grid_z, l.block_x, l.block_y, l.block_z,
                  l.dynamic_shared_bytes, l.flop, l.min_bytes, l.state, l.message, l.verify_error_over_bound,
                  l.verify_reference);
}
auto Fields(Is<Sample> auto& s) {
  return std::tie(s.repetition, s.time_us, s.clock_mhz, s.low_clock, s.gate_open, s.process);
}
auto Fields(Is<MetricDefinition> auto& m) { return std::tie(m.id, m.source, m.cupti_name, m.unit, m.meaning); }
// Without its kind.
auto Fields(Is<InterventionRecord> auto& i) {
  return std::tie(i.setting, i.resident_blocks, i.resident_warps, i.time_us, i.least_us, i.most_us, i.clock_mhz,
                  i.samples);
}
// Without its place, encoding and frames.
auto Fields(Is<MachineInstruction> auto& i) {
  return std::tie(i.opcode, i.operands, i.stall_cycles, i.yield, i.write_scoreboard, i.read_scoreboard, i.wait_mask);
}
// Without its rows and code.
auto Fields(Is<SamplingRecord> auto& s) { return std::tie(s.period_cycles, s.launches, s.samples, s.dropped); }

}  // namespace culprit
