// SPDX-License-Identifier: Apache-2.0
#include "profiler/trace/libraries.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>
#include <system_error>

namespace culprit {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSuffix = ".libraries";
constexpr std::array<std::string_view, 6> kWanted = {"/site-packages/", "/dist-packages/", "/libcudnn",
                                                     "/libcudart",      "/libcublas",      "/libnccl"};
// A process maps some thousand libraries at most.
constexpr std::size_t kMostLibraries = 10'000;

}  // namespace

void NoteLibraries(const fs::path& folder, std::int64_t pid) {
  std::ifstream maps("/proc/self/maps");
  std::set<std::string> found;
  for (std::string line; std::getline(maps, line) && found.size() < kMostLibraries;) {
    const std::size_t begin = line.find('/');
    if (begin == std::string::npos || line.find(".so", begin) == std::string::npos) continue;
    const std::string_view path = std::string_view(line).substr(begin);
    if (std::ranges::any_of(kWanted, [&](std::string_view part) { return path.find(part) != path.npos; }))
      found.emplace(path);
  }
  std::ofstream out(folder / (std::to_string(pid) + kSuffix));
  for (const std::string& path : found) out << path << '\n';
}

std::set<std::string> LibrariesIn(const fs::path& folder) {
  std::set<std::string> found;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().extension() != kSuffix) continue;
    std::ifstream in(entry.path());
    for (std::string line; std::getline(in, line) && found.size() < kMostLibraries;) found.insert(line);
  }
  return found;
}

}  // namespace culprit
