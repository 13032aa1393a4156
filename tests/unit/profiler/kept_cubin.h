// SPDX-License-Identifier: Apache-2.0
// Cubins that the build of test kernels kept, and the source of those.
#pragma once
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace culprit::testing {

constexpr int kInstructionBytes = 16;

// The bytes of the one cubin in `folder`; none when there is none.
inline std::vector<unsigned char> KeptCubin(const std::string& folder) {
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".cubin") {
      std::ifstream file(entry.path(), std::ios::binary);
      return {std::istreambuf_iterator<char>(file), {}};
    }
  return {};
}

// Where a file of the repository has `text`, counted from 1; 0 when it has not.
inline int LineOf(const std::string& file, const std::string& text) {
  std::ifstream in(std::filesystem::path(CULPRIT_SOURCE_DIR) / file);
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.find(text) != line.npos) return number;
  }
  return 0;
}

}  // namespace culprit::testing
