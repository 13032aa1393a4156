// SPDX-License-Identifier: Apache-2.0
// Reading and writing the attribute list of a BuildRecord.
#pragma once
#include <optional>
#include <string_view>

#include "db/records.h"

namespace culprit {

// Without a value, the attribute is stored as kUnsupported.
void AddAttribute(BuildRecord& build, std::string_view name, std::string_view source, std::optional<double> value);

// The value that `source` gave for `name`.
std::optional<double> FindAttribute(const BuildRecord& build, std::string_view name, std::string_view source);

// The same from the best source, in this order: launch, runtime, cubin, compiler, model.
std::optional<double> FindAttribute(const BuildRecord& build, std::string_view name);

}  // namespace culprit
