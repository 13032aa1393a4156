// SPDX-License-Identifier: Apache-2.0
// Work in another process: to be killed, to have other rights, to have no room.
#pragma once
#include <sys/types.h>

#include <functional>
#include <string>

namespace culprit {

// Runs `work` in a fork of this process and returns the text that it returns, or what it throws.
std::string InChild(const std::function<std::string()>& work);

// The same without root's rights, to which no file is read-only.
std::string InChildWithoutRights(const std::function<std::string()>& work);

// Runs in the background until killed; whatever `work` writes to the descriptor it is given arrives at Reports().
class BackgroundChild {
 public:
  explicit BackgroundChild(const std::function<void(int report)>& work);
  ~BackgroundChild();
  BackgroundChild(const BackgroundChild&) = delete;
  BackgroundChild& operator=(const BackgroundChild&) = delete;
  pid_t pid() const { return pid_; }
  // Blocks until something is reported; false when the child has ended.
  bool WaitForReport();
  // kill -9, wait for its end.
  void Kill();
  // Everything reported so far; after Kill, everything.
  std::string Reports();

 private:
  pid_t pid_ = 0;
  int pipe_ = -1;
  std::string seen_;
};

}  // namespace culprit
