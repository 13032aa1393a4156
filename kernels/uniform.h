// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <span>

namespace culprit {

// Fills `out` with floats uniform in [-1, 1), equal on every platform: element i depends only on `seed` and i.
// Generator: SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014). Its
// initial state is SplitMix64's output for `seed`. The top 24 bits x of each output give x / 2^23 - 1, which a float
// represents exactly. Use a different seed for each matrix.
void FillUniform(std::span<float> out, std::uint64_t seed);

}  // namespace culprit
