// SPDX-License-Identifier: Apache-2.0
#include "profiler/code/static_attributes.h"

#include <string>

namespace culprit {

void AddAttribute(BuildRecord& build, std::string_view name, std::string_view source, std::optional<double> value) {
  build.attributes.push_back(
      {std::string(name), std::string(source), value, value ? ReadingStatus::kOk : ReadingStatus::kUnsupported});
}

std::optional<double> FindAttribute(const BuildRecord& build, std::string_view name, std::string_view source) {
  for (const StaticAttribute& attribute : build.attributes) {
    if (attribute.name == name && attribute.source == source && attribute.value) return attribute.value;
  }
  return std::nullopt;
}

std::optional<double> FindAttribute(const BuildRecord& build, std::string_view name) {
  for (const char* source : {"launch", "runtime", "cubin", "compiler", "model"}) {
    if (const std::optional<double> value = FindAttribute(build, name, source)) return value;
  }
  return std::nullopt;
}

}  // namespace culprit
