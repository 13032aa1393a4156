// SPDX-License-Identifier: Apache-2.0
// While it lives, no other program that has one works on the GPU: what several loops of script/ab-rates share is the
// time in which their programs start. By the file that AB_LOCK names; without it there is nothing to wait for.
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
