// SPDX-License-Identifier: Apache-2.0
// What an export of Nsight Systems says of the machine and of the command, and how its cells are read.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "db/foreign_sqlite.h"
#include "profiler/trace/trace.h"

namespace culprit {

struct NsysTarget {
  std::map<int, TracedDevice> gpus;                              // by nsys' number
  std::map<std::pair<std::int64_t, int>, TracedDevice> devices;  // by process id and CUDA's ordinal
  Toolchain toolchain;                                           // the driver's versions
  std::string command_line;                                      // what nsys started; empty: not stated
  std::int64_t started_ns = 0;                                   // when the session began, since 1970; 0: not stated
};

NsysTarget ReadNsysTarget(const ForeignSqlite& sqlite);

inline std::optional<double> NumberIn(const Value& cell) {
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&cell)) return *real;
  return std::nullopt;
}

inline std::int64_t WholeIn(const Value& cell, std::int64_t otherwise = 0) {
  const auto* whole = std::get_if<std::int64_t>(&cell);
  return whole != nullptr ? *whole : otherwise;
}

inline std::string TextIn(const Value& cell) {
  const auto* text = std::get_if<std::string>(&cell);
  return text != nullptr ? *text : "";
}

// 0 outside of the range.
inline double Within(const Value& cell, double most) {
  const double value = NumberIn(cell).value_or(0);
  return value >= 0 && value <= most ? value : 0;
}

}  // namespace culprit
