// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "db/error.h"
#include "db/open_file.h"

namespace culprit {

// A pipe between us and a process that we start. Both ends are closed in programs that we start, unless they are given one.
class ProcessPipe {
 public:
  ProcessPipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw Error("cannot make a pipe for a process: close some files and try again");
    read_.Close(ends[0]), write_.Close(ends[1]);
  }
  int read() const { return read_.get(); }
  int write() const { return write_.get(); }
  void CloseRead() { read_.Close(); }
  void CloseWrite() { write_.Close(); }

 private:
  OpenFile read_, write_;
};

}  // namespace culprit
