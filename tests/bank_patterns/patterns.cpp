// SPDX-License-Identifier: Apache-2.0
#include "tests/bank_patterns/patterns.h"

#include <set>
#include <stdexcept>

namespace culprit::testing {

std::vector<BankPattern> BankPatterns() {
  std::vector<BankPattern> patterns;
  const auto add = [&](const std::string& instruction, SharedOp op, int bytes, bool transposed,
                       const NamedLanes& named) {
    // Several descriptions come to the same addresses: the first one stands for them.
    std::set<Lanes> seen;
    for (const auto& [name, lanes] : named) {
      for (const std::int64_t address : lanes)
        if (address + bytes > kPatternBytes)
          throw std::logic_error("the pattern '" + name + "' reaches beyond kPatternBytes");
      if (!seen.insert(lanes).second) continue;
      SharedAccess access;
      access.name = instruction + " " + name;
      access.array = "tile";
      access.op = op;
      access.lane_bytes = bytes;
      access.address = lanes;
      patterns.push_back({access, transposed});
    }
  };
  for (const auto& [mnemonic, op] : {std::pair{"LDS.", SharedOp::kLoad}, {"STS.", SharedOp::kStore}})
    for (const int bytes : {4, 8, 16}) {
      NamedLanes named;
      for (const NamedLanes& part : {RegularPatterns(bytes), MergingPatterns(bytes), RandomPatterns(bytes),
                                     op == SharedOp::kLoad && bytes > 4 ? BrokenPairPatterns(bytes) : NamedLanes()})
        named.insert(named.end(), part.begin(), part.end());
      add(mnemonic + std::to_string(8 * bytes), op, bytes, false, named);
    }
  for (const auto& [mnemonic, op] : {std::pair{"LDSM.x", SharedOp::kLoadMatrix}, {"STSM.x", SharedOp::kStoreMatrix}})
    for (const int matrices : {1, 2, 4})
      for (const bool transposed : {false, true})
        add(mnemonic + std::to_string(matrices) + (transposed ? ".trans" : ""), op, 16, transposed,
            RowPatterns(8 * matrices));
  return patterns;
}

}  // namespace culprit::testing
