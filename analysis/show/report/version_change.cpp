// SPDX-License-Identifier: Apache-2.0
#include "analysis/show/report/version_change.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

namespace culprit {

std::optional<Warning> VersionChange(std::span<const LibraryVersion> base, std::span<const LibraryVersion> candidate) {
  if (base.empty() || candidate.empty()) return std::nullopt;
  const auto named = [](std::span<const LibraryVersion> all, const std::string& name) {
    const auto found = std::ranges::find(all, name, &LibraryVersion::name);
    return found == all.end() ? "none" : found->value;
  };
  std::vector<std::string> changes;
  for (const LibraryVersion& was : base)
    if (const std::string now = named(candidate, was.name); now != was.value)
      changes.push_back(fmt::format("{} {} -> {}", was.name, was.value, now));
  for (const LibraryVersion& now : candidate)
    if (named(base, now.name) == "none") changes.push_back(fmt::format("{} none -> {}", now.name, now.value));
  if (changes.empty()) return std::nullopt;
  return Warning{"other_versions",
                 fmt::format("The two runs had other versions of libraries: {}.", fmt::join(changes, ", "))};
}

std::optional<Warning> VersionChange(const Database& database, RunId base, RunId candidate) {
  return VersionChange(VersionsOf(database, base), VersionsOf(database, candidate));
}

}  // namespace culprit
