// SPDX-License-Identifier: Apache-2.0
#include "analysis/gate/study_shape.h"

#include <fmt/core.h>

#include <cstdlib>
#include <sstream>

namespace culprit {
namespace {

// Of "4096x2048x64" the product.
double Size(const std::string& shape) {
  double size = 1;
  std::istringstream numbers(shape);
  for (std::string number; std::getline(numbers, number, 'x');) size *= std::strtod(number.c_str(), nullptr);
  return size;
}

}  // namespace

ShapeChoice ChooseShape(std::span<const std::string> shapes, const std::map<std::string, int>& right, int stages,
                        const std::string& root) {
  const std::string* best = nullptr;
  const std::string* largest = nullptr;
  for (const std::string& shape : shapes) {
    const auto count = right.find(shape);
    if (count == right.end()) continue;
    if (largest == nullptr || Size(shape) > Size(*largest)) largest = &shape;
    const bool wins = best == nullptr || count->second > right.at(*best) ||
                      (count->second == right.at(*best) && Size(shape) > Size(*best));
    if (wins) best = &shape;
  }
  if (best == nullptr) return {};
  if (best == largest) return {*best, ""};
  return {*best, fmt::format("{} is left out of the steps from {}: {} of {} stages ended well there and {} at {}; "
                             "--shape {} shows it.",
                             *largest, root, right.at(*largest), stages, right.at(*best), *best, *largest)};
}

}  // namespace culprit
