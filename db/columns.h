// SPDX-License-Identifier: Apache-2.0
// The one list of all columns of all tables. Checking, storing, reading, exporting and importing use it. It also has
// the range of each number, because the schema's constraints are not enough: a user who edits a file can bypass them,
// and no SQLite constraint rejects infinity. Private to db/.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
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

// No machine of the coming decades reaches these bounds. They are small enough that sums and products do not overflow.
inline constexpr double kMonths = 1e13, kMostCalls = 1e15;  // kMonths in us: for the sum over many GPUs
inline constexpr double kMostMhz = 1e6, kMostCount = 1e30, kMostBytes = 1e18;
inline constexpr double kMostInt = 2147483647, kMostUnsigned = 4294967295;

struct StoredColumn {
  NumberRange range;
  bool has_range = false;           // false: any value
  std::string_view refers_to = {};  // the table that this id refers to
  bool travels = true;
  bool is_id = false;  // assigned by the file
  int since = 0;       // number of the migration that added it

  constexpr std::string_view table() const { return range.table; }
  constexpr std::string_view name() const { return range.column; }
};

namespace columns {
constexpr StoredColumn Id() { return {.range = {{}, "id", 0, 0}, .is_id = true}; }
constexpr StoredColumn Any(std::string_view name) { return {{{}, name, 0, 0}}; }
// For a column without a meaning in another file.
constexpr StoredColumn Staying(std::string_view name) { return {.range = {{}, name, 0, 0}, .travels = false}; }
// "stage_id" refers to the table "stage".
constexpr StoredColumn IdOf(std::string_view name) {
  return {.range = {{}, name, 0, 0}, .refers_to = name.substr(0, name.size() - std::string_view("_id").size())};
}
constexpr StoredColumn Number(std::string_view name, double least, double most) {
  return {{{}, name, least, most}, true};
}
constexpr StoredColumn Int(std::string_view name) { return Number(name, 0, kMostInt); }
constexpr StoredColumn Unsigned(std::string_view name) { return Number(name, 0, kMostUnsigned); }
constexpr StoredColumn Bytes(std::string_view name) { return Number(name, 0, kMostBytes); }
constexpr StoredColumn Count(std::string_view name) { return Number(name, 0, kMostCount); }
constexpr StoredColumn Calls(std::string_view name) { return Number(name, 0, kMostCalls); }
constexpr StoredColumn Time(std::string_view name) { return Number(name, 0, kMonths); }
constexpr StoredColumn Nanoseconds(std::string_view name) { return Number(name, 0, kMostTimelineNs); }
constexpr StoredColumn SampleTime(std::string_view name) { return Number(name, kLeastSampleUs, kMostSampleUs); }
constexpr StoredColumn MaybeInfinite(std::string_view name) {
  return Number(name, 0, std::numeric_limits<double>::infinity());
}
// For a column that was added later than its table.
constexpr StoredColumn Since(int migration, StoredColumn column) {
  column.since = migration;
  return column;
}

template <class... Columns>
constexpr std::array<StoredColumn, sizeof...(Columns)> Of(std::string_view table, int since, Columns... columns) {
  std::array<StoredColumn, sizeof...(Columns)> of_table = {columns...};
  for (StoredColumn& column : of_table) {
    column.range.table = table;
    if (column.since == 0) column.since = since;
  }
  return of_table;
}

template <std::size_t... n>
constexpr auto Joined(const std::array<StoredColumn, n>&... tables) {
  std::array<StoredColumn, (n + ...)> all{};
  auto next = all.begin();
  ((next = std::copy(tables.begin(), tables.end(), next)), ...);
  return all;
}

constexpr auto All() {
  return Joined(
      Of("device", 1, Id(), Any("name"), Any("chip"), Int("cc_major"), Int("cc_minor"), Int("sm_count"),
         Int("fp32_lanes_per_sm"), Number("sm_clock_mhz", 0, kMostMhz), Bytes("dram_bytes_per_s"),
         Bytes("memory_bytes"), Bytes("l2_bytes"), Bytes("shared_bytes_per_sm"), Bytes("registers_per_sm"),
         Int("max_threads_per_sm"), Int("max_blocks_per_sm")),
      Of("toolchain", 1, Id(), Any("driver"), Any("cuda_driver_api"), Any("cuda_runtime"), Any("cupti"), Any("nvcc"),
         Any("host_compiler")),
      Of("run", 1, Id(), Any("uuid"), Any("started_utc"), Any("finished_utc"), Any("label"), Any("command_line"),
         Any("profile"), Any("l2"), Any("seed"), Any("git_sha"), Any("git_dirty"), Staying("boot_id"), Staying("pid"),
         Staying("process_start"), IdOf("device_id"), IdOf("toolchain_id"), Since(18, Any("samples_counters")),
         Since(19, Any("gpu_uuids"))),
      Of("run_checksum", 14, IdOf("run_id"), Number("version", 1, kMostInt), Any("itself"), Any("launches"),
         Any("content")),
      Of("stage", 2, Id(), Any("key"), Any("family"), Any("parent"), Any("idea"), Any("constraint"), Any("source_file"),
         Int("source_line"), Any("factors")),
      Of("stage_factor", 2, IdOf("stage_id"), Any("factor"), Any("value")),
      Of("run_stage", 2, IdOf("run_id"), IdOf("stage_id"), Any("position")),
      Of("build", 2, Id(), IdOf("run_id"), IdOf("stage_id"), Any("arch"), Any("kernel"), Any("cubin_digest")),
      Of("static_attribute", 2, IdOf("build_id"), Any("name"), Any("source"), Bytes("value"), Any("status")),
      Of("shared_access", 4, IdOf("run_id"), IdOf("stage_id"), Any("name"), Any("position"), Any("array"),
         Int("row_bytes"), Any("op"), Int("lane_bytes"), Any("addresses")),
      Of("launch", 3, Id(), IdOf("run_id"), IdOf("stage_id"), Any("arch"), Any("shape"), Since(7, Int("ordinal")),
         Any("kernel"), Unsigned("grid_x"), Unsigned("grid_y"), Unsigned("grid_z"), Unsigned("block_x"),
         Unsigned("block_y"), Unsigned("block_z"), Bytes("dynamic_shared_bytes"), Count("flop"), Count("min_bytes"),
         Any("state"), Any("message"), MaybeInfinite("verify_error_over_bound"), Any("verify_reference")),
      Of("sample", 3, IdOf("launch_id"), Any("seq"), Int("repetition"), SampleTime("time_us"),
         Number("clock_mhz", 1e-2, kMostMhz), Any("low_clock"), Since(6, Any("gate_open")), Since(10, Int("process"))),
      Of("metric", 3, Id(), Any("key"), Any("source"), Any("cupti_name"), Any("unit"), Any("meaning")),
      Of("metric_value", 3, IdOf("launch_id"), IdOf("metric_id"), Count("value"), Any("status"),
         Since(15, Count("error"))),
      Of("metric_repeat", 5, IdOf("launch_id"), IdOf("metric_id"), Int("repetition"), Count("value")),
      Of("intervention", 9, IdOf("launch_id"), Any("kind"), Number("setting", -1, kMostBytes),
         Number("resident_blocks", 1, kMostInt), Number("resident_warps", 1, kMostInt), SampleTime("time_us"),
         SampleTime("least_us"), SampleTime("most_us"), Number("clock_mhz", 1e-2, kMostMhz),
         Number("samples", 1, kMostInt)),
      Of("function_source", 4, Id(), Any("function"), Any("source_file")),
      Of("instruction", 4, Id(), IdOf("launch_id"), IdOf("function_source_id"), Bytes("pc_offset"), Int("source_line"),
         Any("opcode")),
      Of("instruction_value", 4, IdOf("instruction_id"), IdOf("metric_id"), Count("value")),
      Of("machine_figure", 8, IdOf("run_id"), Any("name"), Count("setting"), Count("value"), Any("unit"),
         Any("measured_in")),
      Of("program", 11, IdOf("run_id"), Any("source"), Int("exit_status"), Int("processes"), Int("gpus"),
         Time("wall_us"), Time("counted_wall_us"), Time("span_us"), Time("idle_us"), Calls("lost_launches"),
         Since(17, Any("capture"))),
      Of("program_process", 17, IdOf("run_id"), Int("process"), Int("pid"), Int("rank"), Calls("calls"),
         Time("time_us")),
      Of("run_version", 20, IdOf("run_id"), Any("name"), Any("value")),
      Of("program_copy", 11, IdOf("run_id"), Any("kind"), Number("calls", 1, kMostCalls), Count("bytes"),
         Time("time_us"), Time("share_us")),
      Of("program_launch", 11, IdOf("launch_id"), Any("name"), Any("nvtx"), Calls("first"),
         Number("calls", 1, kMostCalls), Time("time_us"), Time("share_us"), Calls("graph_calls"), Calls("counted"),
         Any("not_counted")),
      Of("python_frame", 22, IdOf("launch_id"), Int("depth"), Any("file"), Number("line", 1, kMostInt),
         Any("function")),
      Of("line_chain", 12, Id(), Any("source_file"), Int("source_line"), Any("frames")),
      Of("machine_instruction", 12, Id(), Any("encoding"), Any("opcode"), Any("operands"),
         Number("stall_cycles", 0, 15), Number("yield", 0, 1), Number("write_scoreboard", -1, 6),
         Number("read_scoreboard", -1, 6), Number("wait_mask", 0, 63)),
      Of("code", 12, Id(), Any("function"), Any("digest"), Any("listing")),
      Of("code_instruction", 12, IdOf("code_id"), Bytes("pc_offset"), IdOf("machine_instruction_id"),
         IdOf("line_chain_id")),
      Of("sampling", 12, IdOf("launch_id"), Number("period_cycles", 1, kMostCalls), Number("launches", 1, kMostCalls),
         Calls("samples"), Calls("dropped")),
      Of("sampled_code", 12, Id(), IdOf("launch_id"), IdOf("code_id")), Of("sample_reason", 12, Id(), Any("name")),
      Of("instruction_sample", 12, IdOf("sampled_code_id"), Bytes("pc_offset"), IdOf("sample_reason_id"),
         Calls("samples"), Calls("not_issued")),
      Of("source_text", 13, IdOf("run_id"), Any("source_file"), Number("source_line", 1, kMostInt), Any("text")),
      Of("timeline", 16, IdOf("run_id"), Nanoseconds("span_ns"), Nanoseconds("bin_ns"), Calls("left_out")),
      Of("timeline_window", 16, IdOf("run_id"), Nanoseconds("start_ns"), Nanoseconds("end_ns")),
      Of("timeline_range", 16, IdOf("run_id"), Int("number"), Any("path")),
      Of("timeline_launch", 16, IdOf("launch_id"), Any("seq"), Int("gpu"), Any("stream"), Nanoseconds("start_ns"),
         Nanoseconds("duration_ns"), Any("from_graph"), Int("range_number")),
      Of("timeline_copy", 16, IdOf("run_id"), Any("seq"), Any("kind"), Int("gpu"), Count("bytes"),
         Nanoseconds("start_ns"), Nanoseconds("duration_ns")),
      Of("timeline_turn", 16, Id(), IdOf("run_id"), Int("gpu"), Any("position"), Any("covered_ns")),
      Of("timeline_counter", 16, IdOf("timeline_turn_id"), IdOf("metric_id"), Any("sums")),
      Of("timeline_total", 23, IdOf("run_id"), Int("gpu"), IdOf("metric_id"), Count("counted"), Count("kernels"),
         Count("copies")),
      Of("phase_profile", 16, IdOf("launch_id"), IdOf("metric_id"), Number("duration_ns", 1e-3, kMostTimelineNs),
         Any("edges"), Any("counts"), Any("errors")),
      Of("warning", 3, Id(), IdOf("run_id"), IdOf("launch_id"), Any("code"), Any("text")));
}
}  // namespace columns

// In the order in which a row's values are stored.
inline constexpr auto kColumns = columns::All();

// A column, and its position in its table and in SelectText.
struct Place {
  int index;
  const StoredColumn* column;

  // Null: any value.
  constexpr const NumberRange* range() const { return column->has_range ? &column->range : nullptr; }
  constexpr Place Next() const { return {index + 1, column + 1}; }
};

// For names in our own code, because an unknown column does not compile.
consteval Place At(std::string_view table, std::string_view name) {
  int index = 0;
  for (const StoredColumn& column : kColumns) {
    if (column.table() != table || column.is_id) continue;
    if (column.name() == name) return {index, &column};
    ++index;
  }
  throw "no such column";
}
consteval const NumberRange& RangeOf(std::string_view table, std::string_view name) {
  return At(table, name).column->range;
}

// A value outside its range (0/0 in a ratio, an overflow) counts as not measured.
inline std::optional<double> Measurement(const std::optional<double>& value, const NumberRange& range) {
  return value && range.Holds(*value) ? value : std::nullopt;
}

// Null: any value is allowed, or there is no such column. Values that a statement computes from columns have their own
// ranges.
const NumberRange* FindRange(std::string_view table, std::string_view name);

bool HasTable(int version, std::string_view table);
bool HasColumn(int version, std::string_view table, std::string_view name);

std::vector<StoredColumn> ColumnsOf(std::string_view table);

// INSERT INTO device ("name", ...) VALUES (?, ...)
std::string InsertInto(std::string_view table, std::span<const StoredColumn> columns);

// Statements over all columns of a table except its id.
const std::string& InsertText(std::string_view table);  // as InsertInto
const std::string& SelectText(std::string_view table);  // SELECT "name", ... FROM device
const std::string& FindText(std::string_view table);    // SELECT id FROM device WHERE ("name", ...) = (?, ...)

// Ranges of the columns in InsertText, in that order; null: any value.
const std::vector<const NumberRange*>& RangesOf(std::string_view table);

// Thrown for a row that no recording writes. failure.h turns it into a sentence.
class BadRow : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Thrown for a cell whose number is missing or outside its column's range.
class BadNumber : public BadRow {
 public:
  // `found`: for example "is inf". `where`: for example " of launch 3", or empty.
  BadNumber(const NumberRange& range, std::string_view found, std::string_view where = {});
};

// "inf", "-3.5": the fewest digits that identify the number.
std::string Shown(double value);

}  // namespace culprit
