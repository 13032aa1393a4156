// SPDX-License-Identifier: Apache-2.0
// What numbers a file may hold: the one table that storing, importing and reading go by. Constraints of the schema do
// not bind who edits a file, and no constraint of SQLite's refuses an infinity. Private to db/.
#pragma once
#include <array>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>

namespace culprit {

struct NumberRange {
  std::string_view table, column;
  double least, most;

  bool Holds(double value) const { return value >= least && value <= most; }  // false for NaN
};

// Generous: each bound is what no machine of the coming decades reaches, and far from where sums and products overflow.
inline constexpr double kNanosecond = 1e-3, kHours = 1e10;  // us: the resolution that is stored; nearly three hours
inline constexpr double kMostMhz = 1e6, kMostCount = 1e30, kMostBytes = 1e18;
inline constexpr double kMostInt = 2147483647, kMostUnsigned = 4294967295;

inline constexpr std::array kNumberRanges = {
    NumberRange{"device", "cc_major", 0, kMostInt},
    NumberRange{"device", "cc_minor", 0, kMostInt},
    NumberRange{"device", "sm_count", 0, kMostInt},
    NumberRange{"device", "fp32_lanes_per_sm", 0, kMostInt},
    NumberRange{"device", "sm_clock_mhz", 0, kMostMhz},
    NumberRange{"device", "dram_bytes_per_s", 0, kMostBytes},
    NumberRange{"device", "memory_bytes", 0, kMostBytes},
    NumberRange{"device", "l2_bytes", 0, kMostBytes},
    NumberRange{"device", "shared_bytes_per_sm", 0, kMostBytes},
    NumberRange{"device", "registers_per_sm", 0, kMostBytes},
    NumberRange{"device", "max_threads_per_sm", 0, kMostInt},
    NumberRange{"device", "max_blocks_per_sm", 0, kMostInt},
    NumberRange{"stage", "source_line", 0, kMostInt},
    NumberRange{"static_attribute", "value", 0, kMostBytes},
    NumberRange{"shared_access", "row_bytes", 0, kMostInt},
    NumberRange{"shared_access", "lane_bytes", 0, kMostInt},
    NumberRange{"launch", "ordinal", 0, kMostInt},
    NumberRange{"launch", "grid_x", 0, kMostUnsigned},
    NumberRange{"launch", "grid_y", 0, kMostUnsigned},
    NumberRange{"launch", "grid_z", 0, kMostUnsigned},
    NumberRange{"launch", "block_x", 0, kMostUnsigned},
    NumberRange{"launch", "block_y", 0, kMostUnsigned},
    NumberRange{"launch", "block_z", 0, kMostUnsigned},
    NumberRange{"launch", "dynamic_shared_bytes", 0, kMostBytes},
    NumberRange{"launch", "flop", 0, kMostCount},
    NumberRange{"launch", "min_bytes", 0, kMostCount},
    // Infinite where an element of the result is not a number.
    NumberRange{"launch", "verify_error_over_bound", 0, std::numeric_limits<double>::infinity()},
    NumberRange{"sample", "repetition", 0, kMostInt},
    NumberRange{"sample", "time_us", kNanosecond, kHours},
    NumberRange{"sample", "clock_mhz", 1e-2, kMostMhz},  // from the resolution that is stored
    NumberRange{"metric_value", "value", 0, kMostCount},
    NumberRange{"metric_repeat", "repetition", 0, kMostInt},
    NumberRange{"metric_repeat", "value", 0, kMostCount},
    NumberRange{"instruction", "pc_offset", 0, kMostBytes},
    NumberRange{"instruction", "source_line", 0, kMostInt},
    NumberRange{"instruction_value", "value", 0, kMostCount},
};

// Null: any number. What a statement computes from columns has a range of its own.
constexpr const NumberRange* FindRange(std::string_view table, std::string_view column) {
  for (const NumberRange& range : kNumberRanges)
    if (range.table == table && range.column == column) return &range;
  return nullptr;
}

// For names in our own text: what is not in the table does not compile.
consteval const NumberRange& RangeOf(std::string_view table, std::string_view column) {
  return *FindRange(table, column);
}

// A cell that holds no number of its column's range. failure.h makes a sentence of it.
class BadNumber : public std::runtime_error {
 public:
  // `found` as in "is inf"; `where` as in " of launch 3", may be empty.
  BadNumber(const NumberRange& range, std::string_view found, std::string_view where = {});
};

// "inf", "-3.5": as few digits as tell the number.
std::string Shown(double value);

}  // namespace culprit
