// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <thread>
#include <vector>

namespace culprit {

// Splits [0, count) into parts and calls part(begin, end) for each, on as many threads as the machine has, but at most
// eight. On one thread, making inputs of millions of elements would take longer than the multiplication. `part` must
// not throw.
template <class Part>
void InParallel(std::size_t count, const Part& part) {
  constexpr std::size_t kWorthAThread = 1 << 18;
  const std::size_t threads =
      std::clamp<std::size_t>(count / kWorthAThread, 1, std::clamp(std::thread::hardware_concurrency(), 1u, 8u));
  std::vector<std::jthread> others;
  for (std::size_t t = 1; t < threads; ++t)
    others.emplace_back([&part, count, threads, t] { part(count * t / threads, count * (t + 1) / threads); });
  part(std::size_t{0}, count / threads);
}

}  // namespace culprit
