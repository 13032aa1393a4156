// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace culprit {

// The files below a folder, by the ends of their paths. The folder is walked once, when the first one is asked for.
// Hidden folders are not entered, and a walk that a wrong name began ends after 200,000 entries.
class FilesBelow {
 public:
  explicit FilesBelow(std::filesystem::path root) : root_(std::move(root)) {}

  // Paths relative to the folder whose last parts are those of `name`.
  std::vector<std::filesystem::path> EndingIn(const std::filesystem::path& name);

 private:
  void Walk();

  std::filesystem::path root_;
  bool walked_ = false;
  std::multimap<std::string, std::filesystem::path> by_name_;  // the last part
};

}  // namespace culprit
