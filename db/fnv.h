// SPDX-License-Identifier: Apache-2.0
// FNV-1a, 64 bits (Fowler, Noll, Vo). A hash for texts and for builds of a kernel that needs no library.
#pragma once
#include <cstdint>

namespace culprit {

inline constexpr std::uint64_t kFnvBasis = 0xcbf29ce484222325;

// Hashes a range of characters in order; `hash` is the value to continue from.
template <class Bytes>
constexpr std::uint64_t Fnv1a(const Bytes& bytes, std::uint64_t hash = kFnvBasis) {
  for (const auto byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return hash;
}

}  // namespace culprit
