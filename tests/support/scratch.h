// SPDX-License-Identifier: Apache-2.0
// A directory for one test, and functions to see whether files changed.
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace culprit {

class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

std::string Bytes(const std::filesystem::path& file);
void Write(const std::filesystem::path& file, std::string_view bytes);

// Names, contents and times of all files in a directory. They are equal if nothing was written in between.
using Traces = std::map<std::string, std::pair<std::string, std::filesystem::file_time_type>>;
Traces TracesIn(const std::filesystem::path& directory);

// The text of the exception that `work` throws. Empty if it throws none.
template <class Work>
std::string ComplaintOf(Work&& work) {
  try {
    work();
    return {};
  } catch (const std::exception& e) {
    return e.what();
  }
}

}  // namespace culprit
