// SPDX-License-Identifier: Apache-2.0
// Whether a source file belongs to the user or to the toolkit.
#pragma once
#include <algorithm>
#include <array>
#include <string_view>

namespace culprit {
namespace source_place {

// Header folders of systems and toolkits. "/targets/" is followed by the machine, "/nvidia/" by a toolkit component of
// a Python package. A user's own "cuda-gemm/include" does not match.
inline constexpr std::array<std::string_view, 4> kFolders = {"/usr/include/", "/usr/local/cuda/include/", "/targets/",
                                                             "/nvidia/cu"};
inline constexpr std::string_view kVersioned = "/cuda-";  // "/usr/local/cuda-13.0/include"

// Prefixes for file names without a folder, such as device_atomic_functions.hpp and cuda_fp16.hpp.
inline constexpr std::array<std::string_view, 7> kBeginnings = {
    "cooperative_groups", "cuda_bf16", "cuda_fp", "cuda_pipeline", "device_atomic_func", "math_functions.h", "mma.h"};

// True for "sm_32_intrinsics.hpp", false for a user's "sm_count.h".
inline bool IsOfOneArchitecture(std::string_view name) {
  return name.size() > 3 && name.starts_with("sm_") && name[3] >= '1' && name[3] <= '9';
}

inline bool IsHeader(std::string_view name) { return name.ends_with(".h") || name.ends_with(".hpp"); }

inline bool IsInToolkit(std::string_view file) {
  if (file.find("/include/") == file.npos) return false;
  const auto version = file.find(kVersioned);
  const auto digit = version + kVersioned.size();
  if (version != file.npos && digit < file.size() && file[digit] >= '0' && file[digit] <= '9') return true;
  return std::ranges::any_of(kFolders, [&](std::string_view folder) { return file.find(folder) != file.npos; });
}

}  // namespace source_place

// True for a header of the CUDA Toolkit or the system that the compiler inlined into a kernel. Its lines are counted,
// but the user cannot change them. Recognised by folder, or by name when there is no folder.
inline bool IsToolkitHeader(std::string_view file) {
  if (file.find('/') != file.npos) return source_place::IsInToolkit(file);
  return source_place::IsHeader(file) &&
         (source_place::IsOfOneArchitecture(file) ||
          std::ranges::any_of(source_place::kBeginnings,
                              [&](std::string_view beginning) { return file.starts_with(beginning); }));
}

// The line to show for an instruction. `lines` are its frames, innermost first. Returns the first that is the user's
// own, or else the innermost one. Returns the end if there are none. A line must have a `file`.
template <class Lines>
auto FindOwnLine(const Lines& lines) {
  const auto own = std::ranges::find_if(lines, [](const auto& line) { return !IsToolkitHeader(line.file); });
  return own == lines.end() ? lines.begin() : own;
}

}  // namespace culprit
