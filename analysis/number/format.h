// SPDX-License-Identifier: Apache-2.0
// The only file that chooses digits and suffixes.
#pragma once
#include <string>
#include <string_view>

#include "analysis/number/cell.h"

namespace culprit {

std::string Format(double value, Unit unit);
// For one of several values that are compared. Uses the unit (us or ms) that suits the `largest` of them. If that is 0,
// uses the smallest unit and every digit.
std::string Format(double value, Unit unit, double largest);
std::string Format(const Number& number);
std::string Format(const Stored& stored);  // a real number with six significant digits
std::string InFull(const Stored& stored);  // all digits
// All digits, in the unit's own size: "4496.771630604308 us".
std::string InFull(const Number& number);
std::string Format(const Cell& cell);

// The unit that all times of one column share.
struct TimeUnit {
  double us = 1;
  const char* name = "us";
};
TimeUnit TimeUnitFor(double largest_us);
std::string InUnit(double us, const TimeUnit& unit, int decimals);
// At least three significant digits, at most three decimals.
int Decimals(double value);
std::string Signed(std::string text);  // adds "+" when there is no sign

// Converts the catalogue's unit ("inst", "byte", "%", "ratio", "us", ...).
Unit UnitFromCatalogue(std::string_view unit);

}  // namespace culprit
