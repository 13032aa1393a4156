// SPDX-License-Identifier: Apache-2.0
// What reports call the weight of a finding.
#pragma once

namespace culprit {

inline constexpr const char* kAffects = "Affects";
inline constexpr const char* kAffectsNote =
    "Affects: the part of the kernel's time that warps wait because of it, or that a saturated unit needs for it. "
    "These "
    "times overlap, so they do not add up, and they are no estimate of a gain.";

}  // namespace culprit
