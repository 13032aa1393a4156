// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime_api.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace culprit {

// Floats on the current device, for the length of a test.
class DeviceArray {
 public:
  explicit DeviceArray(const std::vector<float>& values) : count_(values.size()) {
    Check(cudaMalloc(&memory_, std::max<std::size_t>(count_, 1) * sizeof(float)));
    Check(cudaMemcpy(memory_, values.data(), count_ * sizeof(float), cudaMemcpyHostToDevice));
  }
  ~DeviceArray() { cudaFree(memory_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  float* data() const { return static_cast<float*>(memory_); }
  std::vector<float> Download() const {
    std::vector<float> values(count_);
    Check(cudaMemcpy(values.data(), memory_, count_ * sizeof(float), cudaMemcpyDeviceToHost));
    return values;
  }

 private:
  static void Check(cudaError_t status) {
    if (status != cudaSuccess) throw std::runtime_error(std::string("CUDA in a test: ") + cudaGetErrorString(status));
  }
  std::size_t count_;
  void* memory_ = nullptr;
};

}  // namespace culprit
