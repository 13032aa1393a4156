// SPDX-License-Identifier: Apache-2.0
// Tests that try many cases try fewer under AddressSanitizer, because each case takes about 20 times as long.
#pragma once

namespace culprit::testing {

#ifdef __SANITIZE_ADDRESS__
inline constexpr bool kSlowBuild = true;
#else
inline constexpr bool kSlowBuild = false;
#endif

}  // namespace culprit::testing
