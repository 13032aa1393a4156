// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string_view>

#include "db/open_file.h"

namespace culprit {

// A private folder that is deleted with its content. If its process is killed, the next process that makes such a
// folder removes it.
class PrivateFolder {
 public:
  PrivateFolder();  // below $TMPDIR, else /tmp
  ~PrivateFolder();
  PrivateFolder(const PrivateFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
  OpenFile lock_;  // while it is held, the folder has an owner
};

}  // namespace culprit
