// SPDX-License-Identifier: Apache-2.0
// A block's duration in cycles of its SM, independent of the clock frequency and the launch cost.
#pragma once
#include <cuda_runtime_api.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "profiler/cuda_context.h"

namespace culprit {

// Construct it in a kernel before the work and call Stop after the work, in every thread of the block.
struct BlockClock {
  long long began;

  __device__ BlockClock() {
    __syncthreads();
    began = clock64();
  }
  // The block's last thread writes the result.
  __device__ void Stop(long long* cycles_of_blocks) {
    __shared__ unsigned long long longest;
    if (threadIdx.x == 0) longest = 0;
    const auto mine = static_cast<unsigned long long>(clock64() - began);
    __syncthreads();
    atomicMax(&longest, mine);
    __syncthreads();
    if (threadIdx.x == 0) cycles_of_blocks[blockIdx.x] = static_cast<long long>(longest);
  }
};

// Device memory that is freed with its owner.
template <class T>
class OnDevice {
 public:
  explicit OnDevice(std::size_t count) : count_(count) {
    CheckCuda(cudaMalloc(&data_, count * sizeof(T)), "allocate memory to measure the GPU with");
    const cudaError_t cleared = cudaMemset(data_, 0, count * sizeof(T));
    if (cleared != cudaSuccess) cudaFree(data_);
    CheckCuda(cleared, "clear memory to measure the GPU with");
  }
  ~OnDevice() { cudaFree(data_); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

  T* get() const { return data_; }
  std::size_t count() const { return count_; }
  std::vector<T> Values() const {
    std::vector<T> values(count_);
    CheckCuda(cudaMemcpy(values.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost), "measure the GPU");
    return values;
  }

 private:
  T* data_ = nullptr;
  std::size_t count_;
};

// Runs a kernel that writes the cycles of its blocks, and waits for it.
template <class Launch>
std::vector<long long> CyclesOfBlocks(int blocks, const Launch& launch) {
  const OnDevice<long long> cycles(static_cast<std::size_t>(blocks));
  launch(cycles.get());
  CheckCuda(cudaGetLastError(), "launch a kernel that measures the GPU: was this program built for this GPU?");
  return cycles.Values();
}

inline double MiddleOf(std::vector<long long> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return static_cast<double>(*middle);
}

}  // namespace culprit
