// SPDX-License-Identifier: Apache-2.0
// Where Python first launched each kernel, by its grid, block, shared memory and NVTX range.
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "profiler/inject/python_stack.h"
#include "profiler/trace/trace.h"

namespace culprit {

class LaunchPlaces {
 public:
  // `stack`: null where there is no Python, and then nothing is read.
  explicit LaunchPlaces(std::unique_ptr<PythonStack> stack = PythonStack::OfThisProcess());

  // The stack of this thread, which launches `symbol`. Empty: it is not known, or a launch like this one was noted
  // before. That takes some nanoseconds, and a thread reads its stack once for launches that are alike. `symbol` must
  // have one address for all launches of a kernel. Numbers in `path` do not count.
  std::vector<PythonFrame> OfFirst(const char* symbol, const LaunchGeometry& geometry, std::string_view path);

 private:
  bool IsNoted(std::uint64_t launch);

  const std::unique_ptr<PythonStack> stack_;
  const std::uint64_t number_;  // among objects of this class, which have what a thread has tried in common
  std::mutex mutex_;
  std::unordered_set<std::uint64_t> noted_;  // guarded by it
};

}  // namespace culprit
