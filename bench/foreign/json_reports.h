// SPDX-License-Identifier: Apache-2.0
// Reports in JSON, by tool. `root` is the parsed `text`.
#pragma once
#include <string_view>

#include "bench/foreign/json_value.h"
#include "bench/foreign/report.h"

namespace culprit {

ForeignReport ReadGoogleBenchmark(const JsonValue& root, std::string_view text, const ForeignFile& file);
ForeignReport ReadNvbench(const JsonValue& root, std::string_view text, const ForeignFile& file);

}  // namespace culprit
