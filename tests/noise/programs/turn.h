// SPDX-License-Identifier: Apache-2.0
// While a program has a Turn, no other program with a Turn works on the GPU. So loops of script/ab-rates overlap only
// while their programs start. Uses the lock file AB_LOCK; without that variable it does not wait.
#pragma once
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstdlib>

class Turn {
 public:
  Turn() {
    const char* const file = std::getenv("AB_LOCK");
    if (file == nullptr) return;
    lock_ = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock_ >= 0) flock(lock_, LOCK_EX);
  }
  ~Turn() {
    if (lock_ >= 0) close(lock_);
  }
  Turn(const Turn&) = delete;

 private:
  int lock_ = -1;
};
