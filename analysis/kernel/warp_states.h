// SPDX-License-Identifier: Apache-2.0
// States of resident warps beside those that counters have.
#pragma once
#include <map>
#include <string>
#include <string_view>

namespace culprit {

// States that counters count among others, and samples tell apart (blame/asynchronous.h).
namespace states {
inline constexpr std::string_view kProducts = "wgmma";            // until matrix products of a warpgroup are done
inline constexpr std::string_view kCopies = "mbarrier_copy";      // until a bulk copy has arrived
inline constexpr std::string_view kRelease = "mbarrier_release";  // until a buffer to copy into is given back
inline constexpr std::string_view kDone = "done";                 // until others are: nothing is left to do
}  // namespace states

// Of each state of the counters, the shares of its cycles that are in these.
using StateParts = std::map<std::string, std::map<std::string, double>>;

}  // namespace culprit
