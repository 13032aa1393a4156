// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <thread>
#include <vector>

namespace culprit {

// Calls part(begin, end) for parts that together are [0, count), on as many threads as the machine has, eight at most:
// inputs of millions of elements, each its own affair, took longer to make than to multiply. `part` must not throw.
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
