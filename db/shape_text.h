// SPDX-License-Identifier: Apache-2.0
// Shapes as text: "4096x2048x1024". Private to db/.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace culprit {

bool IsSquare(std::string_view shape);  // all extents equal
double Volume(std::string_view shape);  // product of the extents

// The shapes that a selector's shape may stand for: "4096" also stands for 4096x4096 and 4096x4096x4096.
std::vector<std::string> Spellings(std::string_view shape);

// Sorts by flop, largest first (by volume when equal); squares come before others.
struct SizedShape {
  std::string shape;
  double flop = 0;
};
bool IsLarger(const SizedShape& a, const SizedShape& b);

}  // namespace culprit
