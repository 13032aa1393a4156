// SPDX-License-Identifier: Apache-2.0
// The windows of a program (`culprit record --capture`), merged from those of its processes.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "profiler/trace/trace.h"

namespace culprit {

class Windows {
 public:
  // Windows of processes that overlap are one. Without a capture there are none.
  explicit Windows(std::span<const ProcessTrace> traces);

  // How long any was open.
  std::optional<double> WallUs() const;

  // Times in which GPUs worked on what was launched in windows. Their number is at most that of the windows.
  std::size_t size() const { return worked_.size(); }
  // The last of these that began by then; 0 where there is none.
  std::size_t Of(std::int64_t start_ns) const;
  // The time between them, from `first_ns` to `last_ns`.
  double ClosedUs(std::int64_t first_ns, std::int64_t last_ns) const;

 private:
  struct Span {
    std::int64_t from_ns, to_ns;
  };
  static std::vector<Span> Merged(std::vector<Span> spans);

  std::vector<Span> open_, worked_;  // ascending, apart from each other
};

}  // namespace culprit
