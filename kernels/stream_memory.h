// SPDX-License-Identifier: Apache-2.0
// Memory that a stage needs beside A, B and C, for one launch.
#pragma once
#include <cuda_runtime_api.h>

#include <cstddef>
#include <string_view>

namespace culprit {

// Taken and given back in the stream's order, so that launches on several streams do not meet in it. It comes from a
// pool that keeps what it once got: the second launch of a shape waits for no driver. Throws culprit::Error when there
// is none.
class StreamMemory {
 public:
  StreamMemory(std::string_view stage, std::size_t bytes, cudaStream_t stream);
  ~StreamMemory();
  StreamMemory(const StreamMemory&) = delete;
  StreamMemory& operator=(const StreamMemory&) = delete;

  // What lies `offset` bytes from its start, which is at a multiple of 256.
  template <class T>
  T* At(std::size_t offset) const {
    return reinterpret_cast<T*>(static_cast<char*>(memory_) + offset);
  }

 private:
  void* memory_ = nullptr;
  cudaStream_t stream_;
};

// `count` integers on the device that are zero, and that a launch leaves zero: nothing has to run before it. They
// belong to `stream`, whose launches do not meet in them; a launch that is captured into a graph has some of its own,
// in which two executables of that graph would meet if they ran at once. None are given back before the program ends.
// Throws culprit::Error when there is no memory.
int* CountersOf(std::string_view stage, int count, cudaStream_t stream);

}  // namespace culprit
