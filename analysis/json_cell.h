// SPDX-License-Identifier: Apache-2.0
// How a cell stands in JSON, in reports and in the contract of `culprit why` alike.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "analysis/report.h"

namespace culprit {

using OrderedJson = nlohmann::ordered_json;

// Numbers without rounding, integers as such. A missing number is null, and `<key>_status` says why.
void Put(OrderedJson& object, const std::string& key, const Cell& cell);
void Put(OrderedJson& object, const std::string& key, const Measured& value);

}  // namespace culprit
