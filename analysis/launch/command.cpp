// SPDX-License-Identifier: Apache-2.0
#include "analysis/launch/command.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace culprit {
namespace {

std::string_view WithoutFolder(std::string_view path) {
  const auto slash = path.find_last_of('/');
  return slash == path.npos ? path : path.substr(slash + 1);
}

// The word of a command line that is the program, with its folder; empty when no word is.
std::string_view ProgramWord(std::string_view command_line) {
  // Programs that only start the actual program. _call.py of our Python package calls the function that the name of its
  // file says.
  constexpr std::array<std::string_view, 9> kStarters = {"python",  "bash",    "sh",   "env",  "nice",
                                                         "numactl", "taskset", "time", "_call"};
  std::string_view rest = command_line;
  std::string_view fallback;
  // A path with blanks in it. Later quotes may belong to a script, whose first word counts.
  const bool quotes_path = rest.starts_with('\'');
  for (bool first = true; !rest.empty(); first = false) {
    const auto begin = rest.find_first_not_of(" '\"");
    if (begin == rest.npos) break;
    rest.remove_prefix(begin);
    const std::string_view word = rest.substr(0, rest.find_first_of(first && quotes_path ? "'" : " '\""));
    rest.remove_prefix(word.size());
    // Checked before the path is cut off: --chdir=/tmp/change is no program.
    if (word.starts_with('-')) continue;
    // LD_LIBRARY_PATH=/opt/lib, but not /data/run=3/solver.
    if (word.substr(0, word.find('/')).find('=') != word.npos) continue;
    const std::string_view name = WithoutFolder(word);
    if (name.empty()) continue;
    if (fallback.empty()) fallback = word;
    if (std::ranges::find(kStarters, name.substr(0, name.find_first_of("0123456789."))) == kStarters.end()) return word;
  }
  return fallback;
}

}  // namespace

std::string ProgramName(const RunRecord& run) {
  const std::string_view word = ProgramWord(run.command_line);
  return word.empty() ? "the program" : std::string(WithoutFolder(word));
}

std::string WithoutFolderOfProgram(const std::string& command_line) {
  const std::string_view word = ProgramWord(command_line), name = WithoutFolder(word);
  if (word.empty()) return command_line;
  std::string text = command_line;
  return text.erase(static_cast<std::size_t>(word.data() - command_line.data()), word.size() - name.size());
}

bool IsSameCommand(const RunRecord& a, const RunRecord& b) {
  return WithoutFolderOfProgram(a.command_line) == WithoutFolderOfProgram(b.command_line);
}

}  // namespace culprit
