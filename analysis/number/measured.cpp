// SPDX-License-Identifier: Apache-2.0
#include "analysis/number/measured.h"

#include <cmath>

namespace culprit {

Measured::Measured(double value) {
  if (std::isfinite(value))
    value_ = value;
  else
    absence_ = Absence::kUndefined;
}

Measured::Measured(const std::optional<double>& value) {
  if (value) *this = Measured(*value);
}

Measured::Measured(const std::optional<double>& value, ReadingStatus status) {
  switch (status) {
    case ReadingStatus::kOk:
      *this = value ? Measured(*value) : Missing(Absence::kFailed);
      break;
    case ReadingStatus::kUnsupported:
      absence_ = Absence::kUnsupported;
      break;
    case ReadingStatus::kDenied:
      absence_ = Absence::kDenied;
      break;
    case ReadingStatus::kFailed:
      absence_ = Absence::kFailed;
      break;
  }
}

Measured Measured::Missing(Absence why) {
  Measured missing;
  missing.absence_ = why;
  return missing;
}

namespace {

template <class Operation>
Measured Combine(const Measured& a, const Measured& b, Operation operation) {
  if (!a) return a;
  if (!b) return b;
  return operation(*a, *b);
}

}  // namespace

Measured operator+(const Measured& a, const Measured& b) {
  return Combine(a, b, [](double x, double y) { return x + y; });
}
Measured operator-(const Measured& a, const Measured& b) {
  return Combine(a, b, [](double x, double y) { return x - y; });
}
Measured operator*(const Measured& a, const Measured& b) {
  return Combine(a, b, [](double x, double y) { return x * y; });
}
Measured operator/(const Measured& a, const Measured& b) {
  return Combine(a, b, [](double x, double y) -> Measured {
    if (y == 0) return Measured::Missing(Absence::kUndefined);
    return x / y;
  });
}

std::string_view ToText(Absence absence) {
  switch (absence) {
    case Absence::kNotAsked:
      return "not_asked";
    case Absence::kUnsupported:
      return "unsupported";
    case Absence::kDenied:
      return "denied";
    case Absence::kFailed:
      return "failed";
    case Absence::kUndefined:
      return "undefined";
  }
  return "failed";
}

std::string_view Describe(Absence absence) {
  switch (absence) {
    case Absence::kNotAsked:
      return "not measured";
    case Absence::kUnsupported:
      return "not measured (unsupported)";
    case Absence::kDenied:
      return "not measured (denied)";
    case Absence::kFailed:
      return "not measured (failed)";
    case Absence::kUndefined:
      return "-";
  }
  return "not measured";
}

}  // namespace culprit
