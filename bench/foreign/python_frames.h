// SPDX-License-Identifier: Apache-2.0
// The functions of Python that were running when a thread launched something: traces of PyTorch made with
// with_stack=True.
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bench/foreign/open_ranges.h"
#include "db/records.h"

namespace culprit {

class PythonFrames {
 public:
  // `name`: "train.py(20): step", where the function begins. Leaves out names of other forms, and functions of PyTorch,
  // Triton and Python itself.
  void Add(const OpenRanges::Thread& thread, std::int64_t start_ns, std::int64_t end_ns, const std::string& name);

  struct Call {
    OpenRanges::Thread thread;
    std::int64_t at_ns;
  };
  // For each call the functions around it, innermost first, at most kMost. Empty: none is known.
  std::vector<std::vector<PythonFrame>> Around(std::span<const Call> calls) const;

  static constexpr std::size_t kMost = 8;  // as when culprit record reads them

 private:
  struct Running {
    std::int64_t start_ns, end_ns;
    std::size_t frame;
  };
  std::map<std::string, std::size_t> known_;  // by name
  std::vector<PythonFrame> frames_;
  std::map<OpenRanges::Thread, std::vector<Running>> threads_;
};

}  // namespace culprit
