// SPDX-License-Identifier: Apache-2.0
// Planted kernels as NVTX ranges: "name size". A recording replaces the digits of a range by '#', so they travel as
// capital letters, of which no planted kernel's name has any.
#pragma once
#include <string>
#include <string_view>

namespace culprit::testing {

inline std::string RangeOf(std::string_view kernel) {
  std::string range(kernel);
  for (char& c : range)
    if (c >= '0' && c <= '9') c = static_cast<char>('A' + (c - '0'));
  return range;
}

inline std::string KernelOf(std::string_view range) {
  std::string kernel(range);
  for (char& c : kernel)
    if (c >= 'A' && c <= 'J') c = static_cast<char>('0' + (c - 'A'));
  return kernel;
}

}  // namespace culprit::testing
