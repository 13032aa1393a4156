// SPDX-License-Identifier: Apache-2.0
// How a cell stands in JSON, in reports and in the contract of `culprit why` alike.
#pragma once
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>

#include "analysis/render/report.h"

namespace culprit {

using OrderedJson = nlohmann::ordered_json;

// What people read on a screen harms them no more than a text report does: what a terminal would obey stands escaped,
// invalid UTF-8 becomes U+FFFD. JSON knows no infinity: such a number is null, and `<key>_status` says "inf", "-inf" or
// "nan"; throws culprit::Error where that key is taken.
void Write(OrderedJson json, std::ostream& out);

// Numbers without rounding, integers as such. A missing number is null, and `<key>_status` says why.
void Put(OrderedJson& object, const std::string& key, const Cell& cell);
void Put(OrderedJson& object, const std::string& key, const Measured& value);

}  // namespace culprit
