// SPDX-License-Identifier: Apache-2.0
// Columns of shared_access. Private to db/.
#pragma once
#include <array>
#include <string>
#include <string_view>

#include "db/shared_access.h"

namespace culprit {

std::string_view ToText(SharedOp op);
// Throws culprit::Error for any other text than ToText gives.
SharedOp SharedOpOf(std::string_view text);

// "[0,4,null,...]", kWarpLanes entries.
std::string AddressesAsJson(const std::array<std::int64_t, kWarpLanes>& address);
// Throws culprit::Error when `json` is no such list.
std::array<std::int64_t, kWarpLanes> AddressesOf(std::string_view json);

}  // namespace culprit
