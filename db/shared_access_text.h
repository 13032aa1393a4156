// SPDX-License-Identifier: Apache-2.0
// Text forms of the columns of shared_access. Private to db/.
#pragma once
#include <array>
#include <string>
#include <string_view>

#include "db/records.h"

namespace culprit {

template <>
inline constexpr std::array kNames<SharedOp> = {"ld", "st", "ldsm", "stsm"};

// Throws culprit::Error for a text that is none of these.
SharedOp SharedOpOf(std::string_view text);

// "[0,4,null,...]", kWarpLanes entries.
std::string AddressesAsJson(const std::array<std::int64_t, kWarpLanes>& address);
// Throws culprit::Error when `json` is no such list.
std::array<std::int64_t, kWarpLanes> AddressesOf(std::string_view json);

}  // namespace culprit
