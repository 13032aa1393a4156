// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <span>

namespace culprit {

// Fills `out` with floats uniform in [-1, 1), the same on every platform: element i depends on `seed` and i alone.
// Generator: SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014) started at
// its own mix of `seed`; the top 24 bits x of each output give x / 2^23 - 1, which a float holds exactly. Use another
// seed for each matrix.
void FillUniform(std::span<float> out, std::uint64_t seed);

}  // namespace culprit
