// SPDX-License-Identifier: Apache-2.0
// Device memory that a stage needs for one launch besides A, B and C.
#pragma once
#include <cuda_runtime_api.h>

#include <cstddef>
#include <string_view>

namespace culprit {

// Allocated and freed in stream order, so launches on several streams do not share it. The pool keeps its memory, so
// the second launch of a shape does not wait for the driver. Throws culprit::Error when memory runs out.
class StreamMemory {
 public:
  StreamMemory(std::string_view stage, std::size_t bytes, cudaStream_t stream);
  ~StreamMemory();
  StreamMemory(const StreamMemory&) = delete;
  StreamMemory& operator=(const StreamMemory&) = delete;

  // The object `offset` bytes after the start. The start's address is a multiple of 256.
  template <class T>
  T* At(std::size_t offset) const {
    return reinterpret_cast<T*>(static_cast<char*>(memory_) + offset);
  }

 private:
  void* memory_ = nullptr;
  cudaStream_t stream_;
};

// `count` integers on the device. They are zero before a launch, and the launch must leave them zero, so no memset is
// needed. They belong to `stream`, because its launches run one after another. A launch that is captured into a graph
// has its own; do not run two executables of that graph at once. Never freed. Throws culprit::Error if memory runs out.
int* CountersOf(std::string_view stage, int count, cudaStream_t stream);

}  // namespace culprit
