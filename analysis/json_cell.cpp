// SPDX-License-Identifier: Apache-2.0
#include "analysis/json_cell.h"

#include <cmath>
#include <cstdint>

namespace culprit {
namespace {

// The largest integer up to which every double is exact.
constexpr double kExact = 9007199254740992.0;

}  // namespace

void Put(OrderedJson& object, const std::string& key, const Measured& value) {
  if (!value) {
    object[key] = nullptr;
    object[key + "_status"] = ToText(value.absence());
  } else if (*value == std::floor(*value) && std::abs(*value) <= kExact) {
    object[key] = static_cast<std::int64_t>(*value);
  } else {
    object[key] = *value;
  }
}

void Put(OrderedJson& object, const std::string& key, const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell))
    object[key] = *text;
  else if (const auto* pairs = std::get_if<Pairs>(&cell))
    object[key] = OrderedJson(*pairs);
  else
    Put(object, key, std::get<Number>(cell).value);
}

}  // namespace culprit
