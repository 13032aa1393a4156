// SPDX-License-Identifier: Apache-2.0
#include "tests/evidence/seeds/claim.h"

namespace culprit::claims {

std::span<const Claim> AllClaims() {
  static const std::vector<Claim> claims = [] {
    std::vector<Claim> all;
    for (const auto& document : {LadderClaims(), PingpongClaims(), VStudyClaims(), SizeClaims(), PaddingClaims()})
      all.insert(all.end(), document.begin(), document.end());
    return all;
  }();
  return claims;
}

}  // namespace culprit::claims
