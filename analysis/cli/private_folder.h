// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>

namespace culprit {

// A folder of this user alone, which goes with everything in it. Where its process is killed it stays, and the next
// process that makes one removes it.
class PrivateFolder {
 public:
  PrivateFolder();  // below $TMPDIR, else /tmp
  ~PrivateFolder();
  PrivateFolder(const PrivateFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  int lock_ = -1;  // while it is held, the folder has an owner
};

}  // namespace culprit
