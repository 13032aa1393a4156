// SPDX-License-Identifier: Apache-2.0
#include "analysis/number/measured.h"

#include <cmath>

#include "analysis/number/name_in.h"

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
  if (status == ReadingStatus::kOk && value)
    *this = Measured(*value);
  else
    absence_ = status == ReadingStatus::kUnsupported ? Absence::kUnsupported
               : status == ReadingStatus::kDenied    ? Absence::kDenied
                                                     : Absence::kFailed;
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
  using enum Absence;
  return NameIn<Absence>({{kNotAsked, "not_asked"},
                          {kUnsupported, "unsupported"},
                          {kDenied, "denied"},
                          {kFailed, "failed"},
                          {kUndefined, "undefined"}},
                         absence);
}

std::string_view Describe(Absence absence) {
  using enum Absence;
  return NameIn<Absence>({{kNotAsked, "not measured"},
                          {kUnsupported, "not measured (unsupported)"},
                          {kDenied, "not measured (denied)"},
                          {kFailed, "not measured (failed)"},
                          {kUndefined, "-"}},
                         absence);
}

}  // namespace culprit
