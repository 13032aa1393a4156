// SPDX-License-Identifier: Apache-2.0
// Whose code a source file holds.
#pragma once
#include <algorithm>
#include <array>
#include <string_view>

namespace culprit {
namespace source_place {

// Where systems and toolkits keep headers; behind /targets/ stands the machine, behind /nvidia/ a part of the toolkit
// as Python's packages have it. A reader's own "cuda-gemm/include" is none of these.
inline constexpr std::array<std::string_view, 4> kFolders = {"/usr/include/", "/usr/local/cuda/include/", "/targets/",
                                                             "/nvidia/cu"};
inline constexpr std::string_view kVersioned = "/cuda-";  // "/usr/local/cuda-13.0/include"

// Where the compiler says no folder: beginnings of names, as of device_atomic_functions.hpp and cuda_fp16.hpp.
inline constexpr std::array<std::string_view, 7> kBeginnings = {
    "cooperative_groups", "cuda_bf16", "cuda_fp", "cuda_pipeline", "device_atomic_func", "math_functions.h", "mma.h"};

// "sm_32_intrinsics.hpp", and not a reader's "sm_count.h".
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

// A header of the CUDA Toolkit or of the system, whose functions the compiler inlined into a kernel: its lines are
// counted, and are not the reader's to change. Recognised by its folder; by its name where it has none.
inline bool IsToolkitHeader(std::string_view file) {
  if (file.find('/') != file.npos) return source_place::IsInToolkit(file);
  return source_place::IsHeader(file) &&
         (source_place::IsOfOneArchitecture(file) ||
          std::ranges::any_of(source_place::kBeginnings,
                              [&](std::string_view beginning) { return file.starts_with(beginning); }));
}

// Of the lines that an instruction comes from, the innermost first, the one to look at: the first that is neither the
// toolkit's nor the system's; the innermost when all are. The end when there is none. A line has a `file`.
template <class Lines>
auto FindOwnLine(const Lines& lines) {
  const auto own = std::ranges::find_if(lines, [](const auto& line) { return !IsToolkitHeader(line.file); });
  return own == lines.end() ? lines.begin() : own;
}

}  // namespace culprit
