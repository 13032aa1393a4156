// SPDX-License-Identifier: Apache-2.0
// A command line, one argument a line, of those commands that only read.
#include <algorithm>
#include <array>
#include <sstream>

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/in_process.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace culprit::fuzz;
  // query is a target of its own; the first byte chooses, so that mutations stay commands.
  constexpr std::array kCommands = {"runs",  "list",  "show",   "annotate", "why",     "study",
                                    "check", "banks", "report", "history",  "machine", "causes"};
  if (size == 0) return 0;
  std::vector<std::string> args{kCommands[data[0] % kCommands.size()], "--db", Recorded()};
  std::istringstream lines{std::string(Text(data + 1, size - 1))};
  for (std::string line; args.size() < 16 && std::getline(lines, line);) {
    // What is read elsewhere need not end: standard input, devices.
    if (line == "-" || line.find('/') != line.npos || line.starts_with("--db") || line.find("=-") != line.npos)
      continue;
    std::erase(line, '\0');  // no argument of a process has one
    args.push_back(line);
  }
  RunCulprit(args);
  return 0;
}
