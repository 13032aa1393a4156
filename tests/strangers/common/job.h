// SPDX-License-Identifier: Apache-2.0
// What the kernels of these programs have in common: memory, inputs and repetition. Nothing here knows of Culprit.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

inline void Check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
  std::exit(1);
}

// The same numbers in each process, evenly spread between 0 and 1.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed * 2654435761u + 88172645463325252u) {}
  std::uint32_t Next() {
    state_ ^= state_ << 13, state_ ^= state_ >> 7, state_ ^= state_ << 17;
    return static_cast<std::uint32_t>(state_ >> 16);
  }
  float Float() { return static_cast<float>(Next() >> 8) * 0x1p-24f; }

 private:
  std::uint64_t state_;
};

template <class T>
T* OnDevice(const std::vector<T>& values) {
  T* memory = nullptr;
  Check(cudaMalloc(&memory, values.size() * sizeof(T)), "cudaMalloc");
  Check(cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy");
  return memory;
}

template <class T>
T* OnDevice(std::size_t count) {
  T* memory = nullptr;
  Check(cudaMalloc(&memory, count * sizeof(T)), "cudaMalloc");
  Check(cudaMemset(memory, 0xff, count * sizeof(T)), "cudaMemset");
  return memory;
}

// Whether anybody wants to know what was computed.
inline bool results_wanted = false;

template <class T>
std::vector<double> FromDevice(const T* memory, std::size_t count) {
  Check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  if (!results_wanted) return std::vector<double>(1);
  std::vector<T> values(count);
  Check(cudaMemcpy(values.data(), memory, count * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy");
  return {values.begin(), values.end()};
}

// Ends the program where a kernel computed something else than the host did.
inline void Hold(const char* what, double got, double wanted, double tolerance) {
  const double off = got < wanted ? wanted - got : got - wanted;
  if (off <= tolerance) return;
  std::fprintf(stderr, "%s: %g instead of %g\n", what, got, wanted);
  std::exit(1);
}

constexpr int kLaunches = 40;

struct Job {
  const char* name;
  std::vector<double> (*run)();  // returns what its kernel computed
};

// What a program runs, one after the other.
std::vector<Job> Jobs();
