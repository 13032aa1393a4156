// SPDX-License-Identifier: Apache-2.0
// What people read for a kind of copies.
#pragma once
#include <algorithm>
#include <array>
#include <utility>

#include "db/records.h"

namespace culprit {

inline constexpr std::array<std::pair<CopyKind, const char*>, 6> kCopyWords = {
    {{CopyKind::kToDevice, "copies to the GPU"},
     {CopyKind::kToHost, "copies to the host"},
     {CopyKind::kOnDevice, "copies on the GPU"},
     {CopyKind::kBetweenDevices, "copies between GPUs"},
     {CopyKind::kSet, "memory sets"},
     {CopyKind::kOther, "other copies"}}};

constexpr const char* CopyWords(CopyKind kind) {
  return std::ranges::find(kCopyWords, kind, &std::pair<CopyKind, const char*>::first)->second;
}

}  // namespace culprit
