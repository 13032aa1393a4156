// SPDX-License-Identifier: Apache-2.0
// The shared libraries that a recorded process had loaded. It leaves their paths beside its trace, "<pid>.libraries".
#pragma once
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>

namespace culprit {

// Of this process, at the end of its recording: libraries of Python packages and of NVIDIA.
void NoteLibraries(const std::filesystem::path& folder, std::int64_t pid);

// Of all processes that wrote to `folder`.
std::set<std::string> LibrariesIn(const std::filesystem::path& folder);

}  // namespace culprit
