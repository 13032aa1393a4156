// SPDX-License-Identifier: Apache-2.0
// Decodes the instructions on standard input for script/check-sass. A line in: pc offset and the two words of the
// encoding, hexadecimal, and the architecture. A line out, tab-separated: mnemonic, opcode, operands, registers
// written, registers read, 1 where these are all, base, uniform base and offset of the address or nothing, target or
// nothing, the guard or 0.
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "profiler/code/instruction.h"

namespace {

std::string Names(const std::vector<culprit::RegisterRange>& ranges) {
  static constexpr const char* kFiles[] = {"R", "UR", "P", "UP"};
  std::string text;
  for (const culprit::RegisterRange& range : ranges)
    for (int i = 0; i < range.count; ++i)
      text += (text.empty() ? "" : " ") + std::string(kFiles[static_cast<int>(range.file)]) +
              std::to_string(range.first + i);
  return text;
}

}  // namespace

int main() {
  unsigned long long pc = 0, low = 0, high = 0;
  int architecture = 0;
  while (std::scanf("%llx %llx %llx %d", &pc, &low, &high, &architecture) == 4) {
    const culprit::SassInstruction it = culprit::DecodeSass(low, high, static_cast<std::int64_t>(pc), architecture);
    std::printf("%s\t%s\t%s\t%s\t%s\t%d\t", it.mnemonic.c_str(), it.opcode.c_str(), it.operands.c_str(),
                Names(it.writes).c_str(), Names(it.reads).c_str(), it.registers_known ? 1 : 0);
    if (it.address) {
      std::printf("%d %d %lld", it.address->base, it.address->uniform_base, static_cast<long long>(it.address->offset));
    }
    std::printf("\t");
    if (it.target) std::printf("%lld", static_cast<long long>(*it.target));
    std::printf("\t%d\n", it.guarded ? 1 : 0);
  }
}
