// SPDX-License-Identifier: Apache-2.0
// Machine code for tests, instruction by instruction, in decoded form.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "profiler/code/instruction.h"

namespace culprit::testing {

// One instruction: Sass("LDG.E").Writes(4).Sets(0).
struct Sass : SassInstruction {
  explicit Sass(std::string with_modifiers) {
    opcode = std::move(with_modifiers);
    mnemonic = opcode.substr(0, opcode.find('.'));
    stall_cycles = 1;
    if (mnemonic == "BRA") flow = SassFlow::kBranch;
    if (mnemonic == "EXIT") flow = SassFlow::kExit;
    if (mnemonic == "CALL") flow = SassFlow::kCall;
    if (mnemonic == "RET") flow = SassFlow::kReturn;
    if (mnemonic == "BRX") flow = SassFlow::kIndirect;
  }

  Sass Writes(int first, int registers = 1) const {
    return With([&](Sass& s) { s.writes.push_back({RegisterFile::kGeneral, first, registers}); });
  }
  Sass Reads(int first, int registers = 1) const {
    return With([&](Sass& s) { s.reads.push_back({RegisterFile::kGeneral, first, registers}); });
  }
  Sass Sets(int scoreboard) const {
    return With([&](Sass& s) { s.write_scoreboard = scoreboard; });
  }
  Sass SetsWhenRead(int scoreboard) const {
    return With([&](Sass& s) { s.read_scoreboard = scoreboard; });
  }
  Sass Waits(int scoreboard) const {
    return With([&](Sass& s) { s.wait_mask |= 1U << scoreboard; });
  }
  Sass Stall(int cycles) const {
    return With([&](Sass& s) { s.stall_cycles = cycles; });
  }
  Sass If() const {
    return With([](Sass& s) { s.guarded = true; });
  }
  // `instruction`: the index, from 0, of the target in the code.
  Sass To(int instruction) const {
    return With([&](Sass& s) { s.target = 16 * instruction; });
  }
  Sass Operands(const std::string& words) const {
    return With([&](Sass& s) { s.operands = words; });
  }

 private:
  template <class Change>
  Sass With(Change change) const {
    Sass changed = *this;
    change(changed);
    return changed;
  }
};

inline std::vector<SassInstruction> Assemble(const std::vector<Sass>& code) {
  std::vector<SassInstruction> all(code.begin(), code.end());
  for (std::size_t i = 0; i < all.size(); ++i) all[i].pc_offset = 16 * static_cast<std::int64_t>(i);
  return all;
}

}  // namespace culprit::testing
