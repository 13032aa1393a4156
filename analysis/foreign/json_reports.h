// SPDX-License-Identifier: Apache-2.0
// Reports in JSON, by tool. `text` is what `root` was parsed from.
#pragma once
#include <string_view>

#include "analysis/foreign/json_value.h"
#include "analysis/foreign/report.h"

namespace culprit {

ForeignReport ReadGoogleBenchmark(const JsonValue& root, std::string_view text, const ForeignFile& file);
ForeignReport ReadNvbench(const JsonValue& root, std::string_view text, const ForeignFile& file);

}  // namespace culprit
