// SPDX-License-Identifier: Apache-2.0
// The stack of Python on the thread that calls, read without Python's lock (the GIL). Libraries give the lock back
// before they launch a kernel, and whoever waits for it inside of the driver may wait for ever. But only the thread
// itself changes its frames, so they hold still while it reads them.
#pragma once
#include <memory>
#include <string_view>
#include <vector>

#include "db/records.h"

namespace culprit {

// Whether the file is of Python or of a package that was installed, or if generated: nobody edits these.
bool IsOfPackage(std::string_view file);

class PythonStack {
 public:
  // Null: this process has no Python, or one whose frames we cannot read.
  static std::unique_ptr<PythonStack> OfThisProcess();
  virtual ~PythonStack() = default;

  // Innermost first, at most kMost, without the frames of packages. Where all are of packages, the innermost alone.
  // Empty: this thread runs no Python, or a frame did not look as it should.
  virtual std::vector<PythonFrame> Frames() const = 0;

  static constexpr int kMost = 8;
};

}  // namespace culprit
