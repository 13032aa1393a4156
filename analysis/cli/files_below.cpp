// SPDX-License-Identifier: Apache-2.0
#include "analysis/cli/files_below.h"

#include <algorithm>
#include <iterator>
#include <system_error>

namespace culprit {
namespace {

namespace fs = std::filesystem;

constexpr int kMostEntries = 200'000;

bool EndsIn(const fs::path& path, const fs::path& end) {
  const auto has = std::distance(path.begin(), path.end()), parts = std::distance(end.begin(), end.end());
  return has >= parts && std::equal(end.begin(), end.end(), std::next(path.begin(), has - parts));
}

}  // namespace

void FilesBelow::Walk() {
  walked_ = true;
  std::error_code none;
  int entries = 0;
  const auto skip = fs::directory_options::skip_permission_denied;
  for (auto at = fs::recursive_directory_iterator(root_, skip, none);
       !none && at != fs::recursive_directory_iterator() && ++entries <= kMostEntries; at.increment(none)) {
    std::string name = at->path().filename().string();
    if (name.starts_with('.')) at.disable_recursion_pending();
    by_name_.emplace(std::move(name), at->path().lexically_relative(root_));
  }
}

std::vector<fs::path> FilesBelow::EndingIn(const fs::path& name) {
  if (!walked_) Walk();
  std::vector<fs::path> found;
  const auto [begin, end] = by_name_.equal_range(name.filename().string());
  for (auto file = begin; file != end; ++file)
    if (EndsIn(file->second, name)) found.push_back(file->second);
  return found;
}

}  // namespace culprit
