// SPDX-License-Identifier: Apache-2.0
#include "profiler/code/local_access.h"

#include <algorithm>
#include <set>

namespace culprit {
namespace {

constexpr int kStackPointer = 1;
constexpr int kWordBytes = 4;

bool IsLocal(const SassInstruction& i) { return i.mnemonic == "LDL" || i.mnemonic == "STL"; }

std::optional<std::int64_t> OffsetOf(const SassInstruction& i) {
  if (!i.address || i.address->base != kStackPointer || i.address->uniform_base >= 0) return std::nullopt;
  return i.address->offset;
}

// The words of the frame that an access at a constant offset meets.
std::vector<std::int64_t> WordsOf(const LocalAccess& access) {
  std::vector<std::int64_t> words;
  for (std::int64_t byte = *access.offset; byte < *access.offset + access.bytes; ++byte)
    if (words.empty() || words.back() != byte / kWordBytes) words.push_back(byte / kWordBytes);
  return words;
}

}  // namespace

std::vector<LocalAccess> LocalAccesses(std::span<const SassInstruction> code) {
  std::vector<LocalAccess> accesses;
  std::set<std::int64_t> written, read;
  bool computed = false;
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (!IsLocal(code[i])) continue;
    LocalAccess& access = accesses.emplace_back();
    access.instruction = static_cast<int>(i);
    access.store = code[i].mnemonic == "STL";
    access.bytes = code[i].access_bytes > 0 ? code[i].access_bytes : kWordBytes;
    access.offset = OffsetOf(code[i]);
    computed |= !access.offset;
    if (access.offset)
      for (const std::int64_t word : WordsOf(access)) (access.store ? written : read).insert(word);
  }
  for (LocalAccess& access : accesses) {
    if (!access.offset) continue;
    const bool both = std::ranges::any_of(
        WordsOf(access), [&](std::int64_t word) { return written.contains(word) && read.contains(word); });
    access.place = both || !computed ? LocalPlace::kSpill : LocalPlace::kElement;
  }
  return accesses;
}

}  // namespace culprit
