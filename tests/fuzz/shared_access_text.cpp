// SPDX-License-Identifier: Apache-2.0
// Columns of the database that hold text of our own making, or so they should: addresses, operations, shapes.
#include "db/shared_access_text.h"

#include "db/shape_text.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace culprit;
  const std::string_view text = fuzz::Text(data, size);
  std::array<std::int64_t, kWarpLanes> address{};
  if (fuzz::Accepts([&] { address = AddressesOf(text); }))
    fuzz::Require(AddressesOf(AddressesAsJson(address)) == address, "addresses that were written are read again");
  fuzz::Accepts([&] { SharedOpOf(text); });
  fuzz::Accepts([&] { IsSquare(text); });
  fuzz::Accepts([&] { Volume(text); });
  fuzz::Accepts([&] { Spellings(text); });
  return 0;
}
