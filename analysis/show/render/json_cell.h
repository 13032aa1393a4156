// SPDX-License-Identifier: Apache-2.0
// Cells in JSON.
#pragma once
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>

#include "analysis/show/render/report.h"

namespace culprit {

using OrderedJson = nlohmann::ordered_json;

// Escapes characters that a terminal would obey, as text reports do, and replaces invalid UTF-8 by U+FFFD. JSON has no
// infinity and no NaN. Such a number becomes null, and `<key>_status` is "inf", "-inf" or "nan". Throws culprit::Error
// if that key exists.
void Write(OrderedJson json, std::ostream& out);

// Numbers are not rounded; integers stay integers. A missing number becomes null, and `<key>_status` says why.
void Put(OrderedJson& object, const std::string& key, const Cell& cell);
void Put(OrderedJson& object, const std::string& key, const Measured& value);

}  // namespace culprit
