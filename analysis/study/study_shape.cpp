// SPDX-License-Identifier: Apache-2.0
#include "analysis/study/study_shape.h"

#include <fmt/core.h>

namespace culprit {

ShapeChoice ChooseShape(std::span<const std::string> shapes, const std::map<std::string, int>& right, int stages,
                        const std::string& root) {
  const std::string* best = nullptr;
  const std::string* largest = nullptr;
  for (const std::string& shape : shapes) {
    const auto count = right.find(shape);
    if (count == right.end()) continue;
    if (largest == nullptr) largest = &shape;
    if (best == nullptr || count->second > right.at(*best)) best = &shape;
  }
  if (best == nullptr) return {};
  if (best == largest) return {*best, ""};
  return {*best, fmt::format("{} is left out of the steps from {}: {} of {} stages ended well there and {} at {}; "
                             "--shape {} shows it.",
                             *largest, root, right.at(*largest), stages, right.at(*best), *best, *largest)};
}

}  // namespace culprit
