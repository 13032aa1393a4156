// SPDX-License-Identifier: Apache-2.0
#include "kernels/uniform.h"

#include "kernels/in_parallel.h"

namespace culprit {
namespace {

constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;

constexpr std::uint64_t Mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

}  // namespace

void FillUniform(std::span<float> out, std::uint64_t seed) {
  const std::uint64_t start = Mix(seed + kGolden);
  InParallel(out.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      out[i] = static_cast<float>(Mix(start + (i + 1) * kGolden) >> 40) * 0x1p-23f - 1.0f;
  });
}

}  // namespace culprit
