// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <memory>
#include <vector>

namespace culprit {

// Memory on the current device for as long as this lives. Throws culprit::Error when there is none, or when a copy
// finds that an earlier kernel failed.
class DeviceMemory {
 public:
  explicit DeviceMemory(std::size_t bytes);  // of 0 bytes: one that has an address all the same

  template <class T>
  T* As() const {
    return static_cast<T*>(memory_.get());
  }

  // Copies to the start of it.
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
