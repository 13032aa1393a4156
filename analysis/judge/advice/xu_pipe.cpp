// SPDX-License-Identifier: Apache-2.0
// The instructions of a line that the XU pipe executes.
#include <map>

#include "analysis/judge/advice/kinds.h"

namespace culprit::advice {

// The XU pipe also executes conversions. They belong to instruction_count (causes/rooms.h).
std::vector<ShownCode> OfTheXuPipe(const AdviceCode& code) {
  std::map<std::pair<std::string, int>, std::vector<int>> by_line;
  for (int i = 0; i < code.Size(); ++i)
    if (const Operation o = code.OperationAt(i); o == Operation::kSpecialFunction || o == Operation::kBitScan)
      by_line[{code.LineOf(i).file, code.LineOf(i).line}].push_back(i);
  std::vector<ShownCode> all;
  for (const auto& [place, instructions] : by_line) {
    ShownCode& shown = all.emplace_back(ShownCode{"sfu_pipe", {place.first, place.second}});
    for (const int i : instructions) shown.us += code.BlamedUs(i);
    shown.text = code.Describe(instructions);
  }
  return all;
}

}  // namespace culprit::advice
