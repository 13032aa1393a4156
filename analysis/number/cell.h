// SPDX-License-Identifier: Apache-2.0
// A number with its unit, or another value that a table can hold. Numbers keep full precision until they are written;
// only format.h chooses digits and suffixes.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <variant>

#include "analysis/number/measured.h"
#include "db/database.h"

namespace culprit {

enum class Unit {
  kCount,        // 16,777,216
  kInteger,      // 4096: ids, lines, seeds
  kTimeUs,       // microseconds
  kTimeDeltaUs,  // microseconds, always with a sign
  kTimeMs,       // milliseconds
  kGflops,       // 1e9 floating-point operations per second
  kBytes,        // traffic, decimal: 431.0 MB
  kCapacity,     // sizes of things: 256 B, 48 KiB
  kBytesPerSecond,
  kPercent,        // 0..100
  kChangePercent,  // relative change in percent, always with a sign
  kRatio,          // 1.234
  kTimes,          // 1.234 x: the ratio of two quantities of one kind
  kSlowdown,       // 1.234 x slower, 2 x faster: the ratio of two times
  kMhz,
  kFlopPerByte,
};

struct Number {
  Measured value = {};
  Unit unit = Unit::kCount;
};

// Named values: "a = 1, b = 2" for people, an object in JSON.
using Pairs = std::map<std::string, std::string>;

// A value from SQL, unchanged: no unit, no rounding, and NULL stays NULL.
struct Stored {
  Value value;
};

// Text, or a number with its unit, or a number that was not measured.
struct Cell : std::variant<std::string, Number, Pairs, Stored> {
  using variant::variant;
  // NOLINTNEXTLINE(google-explicit-constructor): as any other text
  Cell(std::string_view text) : variant(std::string(text)) {}
  Cell(const Measured& value, Unit unit) : variant(Number{value, unit}) {}
};

}  // namespace culprit
