// SPDX-License-Identifier: Apache-2.0
// FNV-1a, 64 bits (Fowler, Noll, Vo): enough to tell two texts or two builds of a kernel apart, and needs no library.
#pragma once
#include <cstdint>

namespace culprit {

inline constexpr std::uint64_t kFnvBasis = 0xcbf29ce484222325;

// Of the bytes of a range of characters, in its order; `hash`: what to go on from.
template <class Bytes>
constexpr std::uint64_t Fnv1a(const Bytes& bytes, std::uint64_t hash = kFnvBasis) {
  for (const auto byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return hash;
}

}  // namespace culprit
