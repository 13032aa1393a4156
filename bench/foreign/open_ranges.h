// SPDX-License-Identifier: Apache-2.0
// The ranges that were open on a thread when it launched something: NVTX ranges, operators of PyTorch.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace culprit {

class OpenRanges {
 public:
  using Thread = std::pair<std::int64_t, std::int64_t>;  // a process and a thread of it

  // Ranges with a start and an end may cross each other, such as those of requests in flight. From where one begins, an
  // earlier one that ends within it is left out.
  enum class Kind { kPushPop, kStartEnd };
  void Add(const Thread& thread, std::int64_t start_ns, std::int64_t end_ns, const std::string& name,
           Kind kind = Kind::kPushPop);
  // Returns the number of the call: 0, 1, 2, ...
  std::size_t AddCall(const Thread& thread, std::int64_t at_ns);

  // For each call, the place of its path in `paths`, or -1 if no range was open. A path has the ranges from the
  // outermost to the innermost: "step 17/forward". Ranges within more than kMostDepth others are left out.
  std::vector<int> FindPaths(std::vector<std::string>& paths) const;

  static constexpr std::size_t kMostDepth = 32;

 private:
  struct Range {
    std::int64_t start_ns, end_ns;
    int name;
    Kind kind;
  };
  struct Call {
    std::int64_t at_ns;
    std::size_t number;
  };
  struct OfThread {
    std::vector<Range> ranges;
    std::vector<Call> calls;
  };

  std::map<Thread, OfThread> threads_;
  std::map<std::string, int> numbers_;  // of the names
  std::vector<std::string> names_;
  std::size_t calls_ = 0;
};

}  // namespace culprit
