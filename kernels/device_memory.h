// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <memory>
#include <vector>

namespace culprit {

// Memory on the current device, freed with this object. Throws culprit::Error if there is no memory left, or if a copy
// finds that an earlier kernel failed.
class DeviceMemory {
 public:
  explicit DeviceMemory(std::size_t bytes);  // has an address even for 0 bytes

  template <class T>
  T* As() const {
    return static_cast<T*>(memory_.get());
  }

  // Copies to the start of the memory.
  template <class T>
  void Upload(const std::vector<T>& from) {
    UploadBytes(from.data(), from.size() * sizeof(T));
  }

 private:
  void UploadBytes(const void* from, std::size_t bytes);
  struct Free {
    void operator()(void* memory) const;
  };
  std::unique_ptr<void, Free> memory_;
};

}  // namespace culprit
