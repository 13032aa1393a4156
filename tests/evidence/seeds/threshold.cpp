// SPDX-License-Identifier: Apache-2.0
#include "tests/evidence/seeds/threshold.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/number/format.h"

namespace culprit::claims {
namespace {

constexpr Unit kChange = Unit::kChangePercent;

}  // namespace

Threshold Badly() { return {"badly", kChange, {-kInfinity, 100 * (1 / 1.5 - 1)}, {-kInfinity, -5}}; }
Threshold Halves() { return {"halves", kChange, {-60, -40}, {-75, -10}}; }
Threshold Hardly() { return {"hardly", kChange, {-6, 6}, {-12, 12}}; }
Threshold Nothing() { return {"nothing", kChange, {-2, 2}, {-5, 5}}; }
Threshold Gains() { return {"gains", kChange, {5, kInfinity}, {kNoisePct, kInfinity}}; }
Threshold ClearlyFaster() { return {"clearly faster", kChange, {25, kInfinity}, {5, kInfinity}}; }
Threshold NotSlower() { return {"not slower", kChange, {-kNoisePct, kInfinity}, {-5, kInfinity}}; }
Threshold Faster() { return {"faster", kChange, {kNoisePct, kInfinity}, {kNoisePct, kInfinity}}; }
Threshold Slower() { return {"slower", kChange, {-kInfinity, -kNoisePct}, {-kInfinity, -kNoisePct}}; }
Threshold AboutEqual() { return {"about equal", kChange, {-10, 10}, {-25, 25}}; }

Threshold LikePublished(double published_change_pct) {
  const double ratio = 1 + published_change_pct / 100;
  const auto percent = [](double r) { return 100 * (r - 1); };
  const double half = percent(std::sqrt(ratio)), twice = percent(std::pow(ratio, 2));
  const double quarter = percent(std::pow(ratio, 0.25)), four = percent(std::pow(ratio, 4));
  if (ratio < 1)
    return {"about as published", kChange, {twice, half}, {four, std::max(half, std::min(quarter, -kNoisePct))}};
  return {"about as published", kChange, {half, twice}, {std::min(half, std::max(quarter, kNoisePct)), four}};
}

Threshold More() { return {"more", Unit::kTimes, {1.05, kInfinity}, {std::sqrt(1.05), kInfinity}}; }
Threshold Fewer() { return {"fewer", Unit::kTimes, {-kInfinity, 0.95}, {-kInfinity, std::sqrt(0.95)}}; }
Threshold Unchanged() { return {"unchanged", Unit::kTimes, {0.95, 1.05}, {0.8, 1.25}}; }
Threshold ConflictFree() { return {"conflict-free", Unit::kPercent, {0, 0}, {0, 5}}; }
Threshold Conflicting() { return {"conflicting", Unit::kPercent, {25, kInfinity}, {0.5, kInfinity}}; }

Threshold AtLeast(double ratio) {
  return {"at least", Unit::kTimes, {ratio, kInfinity}, {std::sqrt(ratio), kInfinity}};
}

Threshold Exactly(double value) {
  const Range only{value * (1 - 1e-9), value * (1 + 1e-9)};
  return {"exactly", Unit::kRatio, only, only};
}

Threshold About(double value) {
  return {"about", Unit::kRatio, {value * 0.95, value * 1.05}, {value * 0.8, value * 1.25}};
}

Threshold OnlyShown(Unit unit) { return {"", unit, {}, {}}; }

Threshold AtMost(double value, Unit unit) { return {"at most", unit, {-kInfinity, value}, {-kInfinity, value}}; }

Threshold Above(double value, Unit unit) {
  const Range more{value, kInfinity, true};
  return {"more than", unit, more, more};
}

std::span<const Threshold> Glossary() {
  static const std::array words = {Badly(),         Halves(),    Hardly(),    Nothing(),      Gains(),
                                   ClearlyFaster(), NotSlower(), Faster(),    Slower(),       AboutEqual(),
                                   More(),          Fewer(),     Unchanged(), ConflictFree(), Conflicting()};
  return words;
}

std::string FormatPart(const Measured& value, Unit unit) {
  const bool counts = unit == Unit::kRatio || unit == Unit::kTimes;
  if (!value || !counts || std::abs(*value - std::round(*value)) > 1e-6) return Format(Number{value, unit});
  return Format(std::round(*value), Unit::kCount) + (unit == Unit::kTimes ? " x" : "");
}

std::string Describe(const Range& range, Unit unit) {
  const bool below = std::isinf(range.low), above = std::isinf(range.high);
  const std::string low = below ? "" : FormatPart(range.low, unit), high = above ? "" : FormatPart(range.high, unit);
  if (below && above) return "any value";
  if (below) return "at most " + high;
  if (above) return (range.low_excluded ? "more than " : "at least ") + low;
  return low == high ? "exactly " + low : low + " to " + high;
}

}  // namespace culprit::claims
