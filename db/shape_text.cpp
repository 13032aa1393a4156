// SPDX-License-Identifier: Apache-2.0
#include "db/shape_text.h"

#include <algorithm>
#include <cstdlib>
#include <tuple>

namespace culprit {
namespace {

std::vector<std::string> Extents(std::string_view shape) {
  std::vector<std::string> extents(1);
  for (const char c : shape) {
    if (c == 'x') {
      extents.emplace_back();
    } else {
      extents.back() += c;
    }
  }
  return extents;
}

}  // namespace

bool IsSquare(std::string_view shape) {
  const auto extents = Extents(shape);
  return std::all_of(extents.begin(), extents.end(), [&](const std::string& e) { return e == extents.front(); });
}

double Volume(std::string_view shape) {
  double volume = 1;
  for (const std::string& extent : Extents(shape)) volume *= std::strtod(extent.c_str(), nullptr);
  return volume;
}

std::vector<std::string> Spellings(std::string_view shape) {
  const std::string s(shape);
  if (shape.find('x') != shape.npos) return {s};
  return {s, s + 'x' + s, s + 'x' + s + 'x' + s};
}

bool IsLarger(const SizedShape& a, const SizedShape& b) {
  return std::tuple(-a.flop, -Volume(a.shape), !IsSquare(a.shape), a.shape) <
         std::tuple(-b.flop, -Volume(b.shape), !IsSquare(b.shape), b.shape);
}

}  // namespace culprit
