// SPDX-License-Identifier: Apache-2.0
// Every column of every table, written down once: checking a file, storing, reading, exporting and importing go by this
// list. With it the numbers that a file may hold: constraints of the schema do not bind who edits a file, and no
// constraint of SQLite's refuses an infinity. Private to db/.
#pragma once
#include <array>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "db/sample_range.h"

namespace culprit {

struct NumberRange {
  std::string_view table, column;
  double least, most;

  bool Holds(double value) const { return value >= least && value <= most; }  // false for NaN
};

// Generous: each bound is what no machine of the coming decades reaches, and far from where sums and products overflow.
inline constexpr double kMonths = 1e13, kMostCalls = 1e15;  // kMonths: us: what many GPUs do in a long program
inline constexpr double kMostMhz = 1e6, kMostCount = 1e30, kMostBytes = 1e18;
inline constexpr double kMostInt = 2147483647, kMostUnsigned = 4294967295;

struct StoredColumn {
  int since;  // the number of the migration that brought it
  NumberRange range;
  bool has_range = false;           // else it may hold any value
  std::string_view refers_to = {};  // the table whose id this is
  bool travels = true;
  bool is_id = false;  // given out by the file

  constexpr std::string_view table() const { return range.table; }
  constexpr std::string_view name() const { return range.column; }
};

constexpr StoredColumn Any(int since, std::string_view table, std::string_view name) {
  return {since, {table, name, 0, 0}};
}
constexpr StoredColumn Number(int since, std::string_view table, std::string_view name, double least, double most) {
  return {since, {table, name, least, most}, true};
}
constexpr StoredColumn IdOf(int since, std::string_view table, std::string_view name, std::string_view refers_to) {
  return {since, {table, name, 0, 0}, false, refers_to};
}
constexpr StoredColumn Id(int since, std::string_view table) {
  return {since, {table, "id", 0, 0}, false, {}, true, true};
}
// Means nothing in another file.
constexpr StoredColumn Staying(int since, std::string_view table, std::string_view name) {
  return {since, {table, name, 0, 0}, false, {}, false};
}

// In the order in which values of a row are stored.
inline constexpr std::array kColumns = {
    Id(1, "device"),
    Any(1, "device", "name"),
    Any(1, "device", "chip"),
    Number(1, "device", "cc_major", 0, kMostInt),
    Number(1, "device", "cc_minor", 0, kMostInt),
    Number(1, "device", "sm_count", 0, kMostInt),
    Number(1, "device", "fp32_lanes_per_sm", 0, kMostInt),
    Number(1, "device", "sm_clock_mhz", 0, kMostMhz),
    Number(1, "device", "dram_bytes_per_s", 0, kMostBytes),
    Number(1, "device", "memory_bytes", 0, kMostBytes),
    Number(1, "device", "l2_bytes", 0, kMostBytes),
    Number(1, "device", "shared_bytes_per_sm", 0, kMostBytes),
    Number(1, "device", "registers_per_sm", 0, kMostBytes),
    Number(1, "device", "max_threads_per_sm", 0, kMostInt),
    Number(1, "device", "max_blocks_per_sm", 0, kMostInt),
    Id(1, "toolchain"),
    Any(1, "toolchain", "driver"),
    Any(1, "toolchain", "cuda_driver_api"),
    Any(1, "toolchain", "cuda_runtime"),
    Any(1, "toolchain", "cupti"),
    Any(1, "toolchain", "nvcc"),
    Any(1, "toolchain", "host_compiler"),
    Id(1, "run"),
    Any(1, "run", "uuid"),
    Any(1, "run", "started_utc"),
    Any(1, "run", "finished_utc"),
    Any(1, "run", "label"),
    Any(1, "run", "command_line"),
    Any(1, "run", "profile"),
    Any(1, "run", "l2"),
    Any(1, "run", "seed"),
    Any(1, "run", "git_sha"),
    Any(1, "run", "git_dirty"),
    Staying(1, "run", "boot_id"),
    Staying(1, "run", "pid"),
    Staying(1, "run", "process_start"),
    IdOf(1, "run", "device_id", "device"),
    IdOf(1, "run", "toolchain_id", "toolchain"),
    IdOf(14, "run_checksum", "run_id", "run"),
    Number(14, "run_checksum", "version", 1, kMostInt),
    Any(14, "run_checksum", "itself"),
    Any(14, "run_checksum", "launches"),
    Any(14, "run_checksum", "content"),
    Id(2, "stage"),
    Any(2, "stage", "key"),
    Any(2, "stage", "family"),
    Any(2, "stage", "parent"),
    Any(2, "stage", "idea"),
    Any(2, "stage", "constraint"),
    Any(2, "stage", "source_file"),
    Number(2, "stage", "source_line", 0, kMostInt),
    Any(2, "stage", "factors"),
    IdOf(2, "stage_factor", "stage_id", "stage"),
    Any(2, "stage_factor", "factor"),
    Any(2, "stage_factor", "value"),
    IdOf(2, "run_stage", "run_id", "run"),
    IdOf(2, "run_stage", "stage_id", "stage"),
    Any(2, "run_stage", "position"),
    Id(2, "build"),
    IdOf(2, "build", "run_id", "run"),
    IdOf(2, "build", "stage_id", "stage"),
    Any(2, "build", "arch"),
    Any(2, "build", "kernel"),
    Any(2, "build", "cubin_digest"),
    IdOf(2, "static_attribute", "build_id", "build"),
    Any(2, "static_attribute", "name"),
    Any(2, "static_attribute", "source"),
    Number(2, "static_attribute", "value", 0, kMostBytes),
    Any(2, "static_attribute", "status"),
    IdOf(4, "shared_access", "run_id", "run"),
    IdOf(4, "shared_access", "stage_id", "stage"),
    Any(4, "shared_access", "name"),
    Any(4, "shared_access", "position"),
    Any(4, "shared_access", "array"),
    Number(4, "shared_access", "row_bytes", 0, kMostInt),
    Any(4, "shared_access", "op"),
    Number(4, "shared_access", "lane_bytes", 0, kMostInt),
    Any(4, "shared_access", "addresses"),
    Id(3, "launch"),
    IdOf(3, "launch", "run_id", "run"),
    IdOf(3, "launch", "stage_id", "stage"),
    Any(3, "launch", "arch"),
    Any(3, "launch", "shape"),
    Number(7, "launch", "ordinal", 0, kMostInt),
    Any(3, "launch", "kernel"),
    Number(3, "launch", "grid_x", 0, kMostUnsigned),
    Number(3, "launch", "grid_y", 0, kMostUnsigned),
    Number(3, "launch", "grid_z", 0, kMostUnsigned),
    Number(3, "launch", "block_x", 0, kMostUnsigned),
    Number(3, "launch", "block_y", 0, kMostUnsigned),
    Number(3, "launch", "block_z", 0, kMostUnsigned),
    Number(3, "launch", "dynamic_shared_bytes", 0, kMostBytes),
    Number(3, "launch", "flop", 0, kMostCount),
    Number(3, "launch", "min_bytes", 0, kMostCount),
    Any(3, "launch", "state"),
    Any(3, "launch", "message"),
    // Infinite where an element of the result is not a number.
    Number(3, "launch", "verify_error_over_bound", 0, std::numeric_limits<double>::infinity()),
    Any(3, "launch", "verify_reference"),
    IdOf(3, "sample", "launch_id", "launch"),
    Any(3, "sample", "seq"),
    Number(3, "sample", "repetition", 0, kMostInt),
    Number(3, "sample", "time_us", kLeastSampleUs, kMostSampleUs),
    Number(3, "sample", "clock_mhz", 1e-2, kMostMhz),  // from the resolution that is stored
    Any(3, "sample", "low_clock"),
    Any(6, "sample", "gate_open"),
    Number(10, "sample", "process", 0, kMostInt),
    Id(3, "metric"),
    Any(3, "metric", "key"),
    Any(3, "metric", "source"),
    Any(3, "metric", "cupti_name"),
    Any(3, "metric", "unit"),
    Any(3, "metric", "meaning"),
    IdOf(3, "metric_value", "launch_id", "launch"),
    IdOf(3, "metric_value", "metric_id", "metric"),
    Number(3, "metric_value", "value", 0, kMostCount),
    Any(3, "metric_value", "status"),
    IdOf(5, "metric_repeat", "launch_id", "launch"),
    IdOf(5, "metric_repeat", "metric_id", "metric"),
    Number(5, "metric_repeat", "repetition", 0, kMostInt),
    Number(5, "metric_repeat", "value", 0, kMostCount),
    IdOf(9, "intervention", "launch_id", "launch"),
    Any(9, "intervention", "kind"),
    Number(9, "intervention", "setting", -1, kMostBytes),
    Number(9, "intervention", "resident_blocks", 1, kMostInt),
    Number(9, "intervention", "resident_warps", 1, kMostInt),
    Number(9, "intervention", "time_us", kLeastSampleUs, kMostSampleUs),
    Number(9, "intervention", "least_us", kLeastSampleUs, kMostSampleUs),
    Number(9, "intervention", "most_us", kLeastSampleUs, kMostSampleUs),
    Number(9, "intervention", "clock_mhz", 1e-2, kMostMhz),
    Number(9, "intervention", "samples", 1, kMostInt),
    Id(4, "function_source"),
    Any(4, "function_source", "function"),
    Any(4, "function_source", "source_file"),
    Id(4, "instruction"),
    IdOf(4, "instruction", "launch_id", "launch"),
    IdOf(4, "instruction", "function_source_id", "function_source"),
    Number(4, "instruction", "pc_offset", 0, kMostBytes),
    Number(4, "instruction", "source_line", 0, kMostInt),
    Any(4, "instruction", "opcode"),
    IdOf(4, "instruction_value", "instruction_id", "instruction"),
    IdOf(4, "instruction_value", "metric_id", "metric"),
    Number(4, "instruction_value", "value", 0, kMostCount),
    IdOf(8, "machine_figure", "run_id", "run"),
    Any(8, "machine_figure", "name"),
    Number(8, "machine_figure", "setting", 0, kMostCount),
    Number(8, "machine_figure", "value", 0, kMostCount),
    Any(8, "machine_figure", "unit"),
    Any(8, "machine_figure", "measured_in"),
    IdOf(11, "program", "run_id", "run"),
    Any(11, "program", "source"),
    Number(11, "program", "exit_status", 0, kMostInt),
    Number(11, "program", "processes", 0, kMostInt),
    Number(11, "program", "gpus", 0, kMostInt),
    Number(11, "program", "wall_us", 0, kMonths),
    Number(11, "program", "counted_wall_us", 0, kMonths),
    Number(11, "program", "span_us", 0, kMonths),
    Number(11, "program", "idle_us", 0, kMonths),
    Number(11, "program", "lost_launches", 0, kMostCalls),
    IdOf(11, "program_copy", "run_id", "run"),
    Any(11, "program_copy", "kind"),
    Number(11, "program_copy", "calls", 1, kMostCalls),
    Number(11, "program_copy", "bytes", 0, kMostCount),
    Number(11, "program_copy", "time_us", 0, kMonths),
    Number(11, "program_copy", "share_us", 0, kMonths),
    IdOf(11, "program_launch", "launch_id", "launch"),
    Any(11, "program_launch", "name"),
    Any(11, "program_launch", "nvtx"),
    Number(11, "program_launch", "first", 0, kMostCalls),
    Number(11, "program_launch", "calls", 1, kMostCalls),
    Number(11, "program_launch", "time_us", 0, kMonths),
    Number(11, "program_launch", "share_us", 0, kMonths),
    Number(11, "program_launch", "graph_calls", 0, kMostCalls),
    Number(11, "program_launch", "counted", 0, kMostCalls),
    Any(11, "program_launch", "not_counted"),
    Id(12, "line_chain"),
    Any(12, "line_chain", "source_file"),
    Number(12, "line_chain", "source_line", 0, kMostInt),
    Any(12, "line_chain", "frames"),
    Id(12, "machine_instruction"),
    Any(12, "machine_instruction", "encoding"),
    Any(12, "machine_instruction", "opcode"),
    Any(12, "machine_instruction", "operands"),
    Number(12, "machine_instruction", "stall_cycles", 0, 15),
    Number(12, "machine_instruction", "yield", 0, 1),
    Number(12, "machine_instruction", "write_scoreboard", -1, 6),  // three bits, 7 of which says none
    Number(12, "machine_instruction", "read_scoreboard", -1, 6),
    Number(12, "machine_instruction", "wait_mask", 0, 63),
    Id(12, "code"),
    Any(12, "code", "function"),
    Any(12, "code", "digest"),
    Any(12, "code", "listing"),
    IdOf(12, "code_instruction", "code_id", "code"),
    Number(12, "code_instruction", "pc_offset", 0, kMostBytes),
    IdOf(12, "code_instruction", "machine_instruction_id", "machine_instruction"),
    IdOf(12, "code_instruction", "line_chain_id", "line_chain"),
    IdOf(12, "sampling", "launch_id", "launch"),
    Number(12, "sampling", "period_cycles", 1, kMostCalls),
    Number(12, "sampling", "launches", 1, kMostCalls),
    Number(12, "sampling", "samples", 0, kMostCalls),
    Number(12, "sampling", "dropped", 0, kMostCalls),
    Id(12, "sampled_code"),
    IdOf(12, "sampled_code", "launch_id", "launch"),
    IdOf(12, "sampled_code", "code_id", "code"),
    Id(12, "sample_reason"),
    Any(12, "sample_reason", "name"),
    IdOf(12, "instruction_sample", "sampled_code_id", "sampled_code"),
    Number(12, "instruction_sample", "pc_offset", 0, kMostBytes),
    IdOf(12, "instruction_sample", "sample_reason_id", "sample_reason"),
    Number(12, "instruction_sample", "samples", 0, kMostCalls),
    Number(12, "instruction_sample", "not_issued", 0, kMostCalls),
    IdOf(13, "source_text", "run_id", "run"),
    Any(13, "source_text", "source_file"),
    Number(13, "source_text", "source_line", 1, kMostInt),
    Any(13, "source_text", "text"),
    Id(3, "warning"),
    IdOf(3, "warning", "run_id", "run"),
    IdOf(3, "warning", "launch_id", "launch"),
    Any(3, "warning", "code"),
    Any(3, "warning", "text"),
};

// Where a column stands among those of its table, which is where SelectText has it.
struct Place {
  int index;
  const NumberRange* range;  // null: any value
};

// For names in our own text: what is not in the table does not compile.
consteval Place At(std::string_view table, std::string_view name) {
  int index = 0;
  for (const StoredColumn& column : kColumns) {
    if (column.table() != table || column.is_id) continue;
    if (column.name() == name) return {index, column.has_range ? &column.range : nullptr};
    ++index;
  }
  throw "no such column";
}
consteval const NumberRange& RangeOf(std::string_view table, std::string_view name) { return *At(table, name).range; }

// Null: any value, or no such column. What a statement computes from columns has a range of its own.
const NumberRange* FindRange(std::string_view table, std::string_view name);

// Of schema `version`.
bool HasTable(int version, std::string_view table);
bool HasColumn(int version, std::string_view table, std::string_view name);

// Without its id.
std::vector<StoredColumn> ColumnsOf(std::string_view table);

// Statements over all columns of a table without its id.
const std::string& InsertText(std::string_view table);  // INSERT INTO device ("name", ...) VALUES (?, ...)
const std::string& SelectText(std::string_view table);  // SELECT "name", ... FROM device
const std::string& FindText(std::string_view table);    // SELECT id FROM device WHERE ("name", ...) = (?, ...)

// Of the columns that InsertText names, in their order; null: any value.
const std::vector<const NumberRange*>& RangesOf(std::string_view table);

// A row that no recording writes. failure.h makes a sentence of it.
class BadRow : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A cell that holds no number of its column's range.
class BadNumber : public BadRow {
 public:
  // `found` as in "is inf"; `where` as in " of launch 3", may be empty.
  BadNumber(const NumberRange& range, std::string_view found, std::string_view where = {});
};

// "inf", "-3.5": as few digits as tell the number.
std::string Shown(double value);

}  // namespace culprit
