// SPDX-License-Identifier: Apache-2.0
// Limits of Database::Query. A view or statement may run forever or return more than fits into memory.
#pragma once
#include <chrono>
#include <cstddef>
#include <functional>

namespace culprit {

inline constexpr std::size_t kMillion = 1'000'000;

struct QueryLimits {
  std::chrono::seconds time{60};
  std::size_t values = 20 * kMillion;  // of all rows together; about 1 GB
  std::function<bool()> stopped = {};  // asked about every millisecond: true ends the statement
};

// While it lives, these limits hold for every statement of this thread. Of nested limits the smallest holds.
class LimitQueries {
 public:
  explicit LimitQueries(QueryLimits limits);
  ~LimitQueries();
  LimitQueries(const LimitQueries&) = delete;
  const QueryLimits& limits() const { return limits_; }

 private:
  QueryLimits limits_;
  LimitQueries* outer_;
};

}  // namespace culprit
