// SPDX-License-Identifier: Apache-2.0
// Runs work in another process, for tests that kill it, take its rights or leave it no room.
#pragma once
#include <sys/types.h>

#include <functional>
#include <string>

namespace culprit {

// Runs `work` in a fork of this process. Returns the text that it returns, or the text of its exception.
std::string InChild(const std::function<std::string()>& work);

// The same without root's rights, because root can write to read-only files.
std::string InChildWithoutRights(const std::function<std::string()>& work);

// Runs `work` in the background until it is killed. Reports() returns all that `work` writes to its descriptor.
class BackgroundChild {
 public:
  explicit BackgroundChild(const std::function<void(int report)>& work);
  ~BackgroundChild();
  BackgroundChild(const BackgroundChild&) = delete;
  BackgroundChild& operator=(const BackgroundChild&) = delete;
  pid_t pid() const { return pid_; }
  // Blocks until something is reported. Returns false if the child has ended.
  bool WaitForReport();
  // Sends SIGKILL and waits for the end.
  void Kill();
  // All reports so far. After Kill, all reports.
  std::string Reports();

 private:
  pid_t pid_ = 0;
  int pipe_ = -1;
  std::string seen_;
};

}  // namespace culprit
