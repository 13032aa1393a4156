// SPDX-License-Identifier: Apache-2.0
// Programs of several kinds, for measuring what their recording costs (script/record-costs). They know nothing of
// Culprit. What they compute depends only on their arguments.
#pragma once
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace kinds {

// Each prints what it computed, and returns whether that is right. `seconds`: about how long its GPU work takes on an
// H100. The work is a function of this number, not of the clock.
bool Numerics(double seconds);
bool Waiting(double seconds);
bool Memory(double seconds);
bool GraphSolver(double seconds);
bool Shrinking(double seconds);
bool Launches(double seconds);

inline void Check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "program_kinds: %s\n", cudaGetErrorString(status));
  std::exit(3);
}

inline int Rounds(double seconds, double rounds_a_second) {
  return std::max(1, static_cast<int>(std::lround(seconds * rounds_a_second)));
}

// Memory of the GPU, all zero at first.
template <class T>
class Array {
 public:
  explicit Array(std::size_t count) : count_(count) {
    Check(cudaMalloc(&data_, count * sizeof(T)));
    Check(cudaMemset(data_, 0, count * sizeof(T)));
  }
  explicit Array(const std::vector<T>& values) : Array(values.size()) {
    Check(cudaMemcpy(data_, values.data(), count_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~Array() { cudaFree(data_); }
  Array(const Array&) = delete;
  T* get() const { return data_; }
  std::vector<T> Values() const {
    std::vector<T> values(count_);
    Check(cudaDeviceSynchronize());
    Check(cudaMemcpy(values.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }

 private:
  std::size_t count_ = 0;
  T* data_ = nullptr;
};

// Launches a kernel that does nothing, and waits for it.
void WarmUp(cudaStream_t stream);

// How long the GPU works, by the program's own CUDA events: with and without a recorder. Where the environment variable
// KINDS_GPU_TIME names a file, the milliseconds are added to it as a line. What a driver or a recorder does before the
// first kernel of a process is not in it.
class GpuTime {
 public:
  explicit GpuTime(cudaStream_t stream = nullptr) : file_(std::getenv("KINDS_GPU_TIME")), stream_(stream) {}
  ~GpuTime() {
    std::FILE* const file = file_ != nullptr ? std::fopen(file_, "a") : nullptr;
    if (file == nullptr) return;
    float sum = 0;
    for (std::size_t i = 0; i + 1 < marks_.size(); i += 2) {
      float ms = 0;
      Check(cudaEventSynchronize(marks_[i + 1]));
      Check(cudaEventElapsedTime(&ms, marks_[i], marks_[i + 1]));
      sum += ms;
    }
    std::fprintf(file, "%.6f\n", static_cast<double>(sum));
    std::fclose(file);
  }
  GpuTime(const GpuTime&) = delete;
  // Before and after work in which the GPU does not wait for the host.
  void Mark() {
    if (file_ == nullptr) return;
    if (marks_.empty()) WarmUp(stream_);
    marks_.emplace_back();
    Check(cudaEventCreate(&marks_.back()));
    Check(cudaEventRecord(marks_.back(), stream_));
  }

 private:
  const char* file_;
  cudaStream_t stream_;
  std::vector<cudaEvent_t> marks_;
};

// The same number for the same index in each process, between 0 and 1.
__host__ __device__ inline float NumberAt(std::uint32_t index) {
  index = (index ^ 61u ^ (index >> 16)) * 9u;
  index = (index ^ (index >> 4)) * 0x27d4eb2du;
  return static_cast<float>((index ^ (index >> 15)) >> 8) * 0x1p-24f;
}

// Prints one result. Returns whether it is the expected one.
inline bool Is(const char* what, double got, double wanted, double tolerance) {
  const bool is_right = std::abs(got - wanted) <= tolerance * std::max(1.0, std::abs(wanted));
  std::printf("%s: %.6g%s\n", what, got, is_right ? "" : ", which is wrong");
  return is_right;
}

}  // namespace kinds
