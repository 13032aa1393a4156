// SPDX-License-Identifier: Apache-2.0
// A number that was measured, or the reason why there is none. Arithmetic on a missing number is missing for the same
// reason, so "not measured" can never turn into 0 on its way to a report.
#pragma once
#include <optional>
#include <string_view>

#include "db/records.h"

namespace culprit {

enum class Absence {
  kNotAsked,     // nobody requested it in that run
  kUnsupported,  // as ReadingStatus
  kDenied,
  kFailed,
  kUndefined,  // there is nothing to measure: a ratio over zero accesses
};

class Measured {
 public:
  Measured() = default;  // not asked for
  // NOLINTNEXTLINE(google-explicit-constructor): a number is a measured number
  Measured(double value);  // NaN and infinities become kUndefined
  // NOLINTNEXTLINE(google-explicit-constructor): and so is one that may be there; else it was not asked for
  Measured(const std::optional<double>& value);
  Measured(const std::optional<double>& value, ReadingStatus status);

  static Measured Missing(Absence why);

  explicit operator bool() const { return value_.has_value(); }
  double operator*() const { return *value_; }
  const std::optional<double>& value() const { return value_; }
  double value_or(double other) const { return value_.value_or(other); }
  Absence absence() const { return absence_; }  // meaningful only without a value

 private:
  std::optional<double> value_;
  Absence absence_ = Absence::kNotAsked;
};

// Missing when either side is, for the reason of the left one first. Division by 0 is kUndefined.
Measured operator+(const Measured& a, const Measured& b);
Measured operator-(const Measured& a, const Measured& b);
Measured operator*(const Measured& a, const Measured& b);
Measured operator/(const Measured& a, const Measured& b);

// The status in JSON and CSV: "not_asked" | "unsupported" | "denied" | "failed" | "undefined".
std::string_view ToText(Absence absence);
// For people: "not measured (denied)"; "-" for kUndefined.
std::string_view Describe(Absence absence);

}  // namespace culprit
