// SPDX-License-Identifier: Apache-2.0
// The library that CUDA loads into a recorded program, and the environment variables for recording.
#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace culprit {

class InjectedLibrary {
 public:
  // Throws culprit::Error if the library is missing, if another profiler is set to watch the program, or if the
  // environment's time limit is invalid.
  InjectedLibrary();
  // The environment variables of a program in which the library watches and writes to `traces`.
  std::map<std::string, std::string> VariablesFor(const std::filesystem::path& traces) const;
  // The time limit of an execution for counters; none: the plan's limit.
  std::optional<double> limit_s() const { return limit_s_; }

 private:
  std::filesystem::path file_;
  std::optional<double> limit_s_;
};

}  // namespace culprit
