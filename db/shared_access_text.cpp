// SPDX-License-Identifier: Apache-2.0
#include "db/shared_access_text.h"

#include <fmt/format.h>

#include <charconv>

#include "db/error.h"

namespace culprit {

SharedOp SharedOpOf(std::string_view text) {
  if (const auto op = KindNamed<SharedOp>(text)) return *op;
  throw Error(fmt::format("the database names a shared access '{}': update culprit, or record the run again", text));
}

std::string AddressesAsJson(const std::array<std::int64_t, kWarpLanes>& address) {
  std::string json;
  for (const std::int64_t a : address) {
    json += json.empty() ? '[' : ',';
    json += a == kInactiveLane ? "null" : std::to_string(a);
  }
  return json + ']';
}

std::array<std::int64_t, kWarpLanes> AddressesOf(std::string_view json) {
  std::array<std::int64_t, kWarpLanes> address;
  const char* at = json.data();
  const char* const end = at + json.size();
  const auto accept = [&](std::string_view word) {
    if (!std::string_view(at, end).starts_with(word)) return false;
    at += word.size();
    return true;
  };
  bool well_formed = true;
  for (int lane = 0; well_formed && lane < kWarpLanes; ++lane) {
    well_formed = accept(lane == 0 ? "[" : ",");
    if (!well_formed) break;
    if (accept("null")) {
      address[lane] = kInactiveLane;
    } else {
      const auto [next, error] = std::from_chars(at, end, address[lane]);
      well_formed = error == std::errc() && address[lane] >= 0;
      at = next;
    }
  }
  if (!well_formed || !accept("]") || at != end)
    throw Error(
        fmt::format("the database has shared addresses that are not a list of {} numbers or nulls: record the "
                    "run again",
                    kWarpLanes));
  return address;
}

}  // namespace culprit
