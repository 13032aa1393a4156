// SPDX-License-Identifier: Apache-2.0
// Counts the wavefronts of one warp's access by plain counting, apart from analysis/bank_model, which it helps to
// check.
#pragma once
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <vector>

#include "db/shared_access.h"

namespace culprit {

inline constexpr int kBanks = 32;
using Addresses = std::array<int, 32>;  // in floats, the first of each lane's access

// The largest number of different words that one bank is asked for.
inline int Wavefronts(const std::vector<int>& words) {
  std::map<int, std::set<int>> by_bank;
  for (const int word : words) by_bank[word % kBanks].insert(word);
  std::size_t most = 0;
  for (const auto& [bank, different] : by_bank) most = std::max(most, different.size());
  return static_cast<int>(most);
}

inline int Wavefronts32(const Addresses& lanes) { return Wavefronts({lanes.begin(), lanes.end()}); }

// 128-bit accesses go by quarter warps; the two quarters of a half warp are served together when each lane i reads what
// lane i^1 reads, or each what lane i^2 reads.
inline int Wavefronts128(const Addresses& lanes) {
  int total = 0;
  for (int half = 0; half < 32; half += 16) {
    bool pairs = true, alternate = true;
    for (int lane = half; lane < half + 16; ++lane) {
      pairs &= lanes[lane] == lanes[lane ^ 1];
      alternate &= lanes[lane] == lanes[lane ^ 2];
    }
    const int group = pairs || alternate ? 16 : 8;
    for (int first = half; first < half + 16; first += group) {
      std::vector<int> words;
      for (int lane = first; lane < first + group; ++lane) {
        for (int i = 0; i < 4; ++i) words.push_back(lanes[lane] + i);
      }
      total += Wavefronts(words);
    }
  }
  return total;
}

// Of what a stage states, where all lanes take part.
inline Addresses Floats(const SharedAccess& access) {
  Addresses lanes;
  for (int lane = 0; lane < kWarpLanes; ++lane) lanes[lane] = static_cast<int>(access.address[lane] / 4);
  return lanes;
}

inline int Wavefronts(const SharedAccess& access) {
  return access.lane_bytes == 16 ? Wavefronts128(Floats(access)) : Wavefronts32(Floats(access));
}

}  // namespace culprit
