// SPDX-License-Identifier: Apache-2.0
// A number that was measured, or the reason why it is missing. Arithmetic on a missing number is missing for the same
// reason, so "not measured" never becomes 0 in a report.
#pragma once
#include <optional>
#include <string_view>

#include "db/records.h"

namespace culprit {

enum class Absence {
  kNotAsked,     // not requested in that run
  kUnsupported,  // this and the next two are those of ReadingStatus
  kDenied,
  kFailed,
  kUndefined,  // nothing to measure: a ratio over zero accesses
};

class Measured {
 public:
  Measured() = default;  // not asked for
  // NOLINTNEXTLINE(google-explicit-constructor): a number is a measured number
  Measured(double value);  // NaN and infinities become kUndefined
  // NOLINTNEXTLINE(google-explicit-constructor): so is an optional number; if empty, it was not asked for
  Measured(const std::optional<double>& value);
  Measured(const std::optional<double>& value, ReadingStatus status);

  static Measured Missing(Absence why);

  explicit operator bool() const { return value_.has_value(); }
  double operator*() const { return *value_; }
  const std::optional<double>& value() const { return value_; }
  double value_or(double other) const { return value_.value_or(other); }
  Absence absence() const { return absence_; }  // only without a value

 private:
  std::optional<double> value_;
  Absence absence_ = Absence::kNotAsked;
};

// Missing when either operand is missing. If both are, the reason is the left one's. Division by 0 is kUndefined.
Measured operator+(const Measured& a, const Measured& b);
Measured operator-(const Measured& a, const Measured& b);
Measured operator*(const Measured& a, const Measured& b);
Measured operator/(const Measured& a, const Measured& b);

// The status in JSON and CSV: "not_asked" | "unsupported" | "denied" | "failed" | "undefined".
std::string_view ToText(Absence absence);
// For people: "not measured (denied)"; "-" for kUndefined.
std::string_view Describe(Absence absence);

}  // namespace culprit
