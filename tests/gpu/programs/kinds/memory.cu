// SPDX-License-Identifier: Apache-2.0
#include "kinds.h"

namespace kinds {
namespace {

constexpr double kPart = 0.7;
constexpr double kBytesASecond = 2.4e12;  // read and written
constexpr unsigned kBlocks = 132 * 16, kThreads = 256;

__global__ void AddIndex(std::uint64_t* values, std::size_t count) {
  for (std::size_t i = blockIdx.x * std::size_t{kThreads} + threadIdx.x; i < count;
       i += std::size_t{kBlocks} * kThreads)
    values[i] += i;
}

__global__ void Sum(const std::uint64_t* values, std::size_t count, unsigned long long* total) {
  unsigned long long sum = 0;
  for (std::size_t i = blockIdx.x * std::size_t{kThreads} + threadIdx.x; i < count;
       i += std::size_t{kBlocks} * kThreads)
    sum += values[i];
  atomicAdd(total, sum);
}

}  // namespace

bool Memory(double seconds) {
  std::size_t free = 0, all = 0;
  Check(cudaMemGetInfo(&free, &all));
  const auto count = static_cast<std::size_t>(kPart * static_cast<double>(all) / sizeof(std::uint64_t));
  const Array<std::uint64_t> values(count);
  const Array<unsigned long long> total(1);
  const int rounds = Rounds(seconds, kBytesASecond / (2.0 * sizeof(std::uint64_t) * static_cast<double>(count)));
  GpuTime time;
  time.Mark();
  for (int i = 0; i < rounds; ++i) AddIndex<<<kBlocks, kThreads>>>(values.get(), count);
  Sum<<<kBlocks, kThreads>>>(values.get(), count, total.get());
  time.Mark();
  Check(cudaGetLastError());
  // Modulo 2^64, as the kernel adds. One of the two factors is even.
  const std::uint64_t a = count % 2 == 0 ? count / 2 : count, b = count % 2 == 0 ? count - 1 : (count - 1) / 2;
  const bool is_right = total.Values()[0] == a * b * static_cast<std::uint64_t>(rounds);
  std::printf("%d times %.1f GB: %s\n", rounds, static_cast<double>(count * sizeof(std::uint64_t)) / 1e9,
              is_right ? "right" : "wrong");
  return is_right;
}

}  // namespace kinds
