// SPDX-License-Identifier: Apache-2.0
// `culprit query --param`: the first line is the parameter, the rest the statement.
#include <string>

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/in_process.h"

namespace {

// A statement that never ends is its author's wish and no finding.
bool MayNotEnd(std::string statement) {
  for (char& c : statement) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return statement.find("recursive") != statement.npos || statement.find("with") != statement.npos;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace culprit::fuzz;
  const std::string text(Text(data, size));
  const std::size_t end = text.find('\n');
  const std::string statement = end == text.npos || end + 1 == text.size() ? "SELECT :x, :run" : text.substr(end + 1);
  if (MayNotEnd(statement)) return 0;
  RunCulprit({"query", statement, "--param=" + text.substr(0, end), "--db", Recorded()});
  return 0;
}
