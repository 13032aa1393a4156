// SPDX-License-Identifier: Apache-2.0
#include "bench/program/counters_of_opcodes.h"

#include <algorithm>
#include <ranges>

#include "analysis/launch/derived_facts.h"
#include "bench/program/instruction_kinds.h"

namespace culprit {
namespace {

bool IsAmong(std::string_view names, std::string_view name) {
  return names.find(" " + std::string(name) + " ") != names.npos;
}

std::string_view MnemonicOf(std::string_view opcode) { return opcode.substr(0, opcode.find('.')); }

bool HasModifier(std::string_view opcode, std::string_view modifier) {
  return std::ranges::any_of(std::views::split(opcode, '.'),
                             [&](const auto& part) { return std::string_view(part.begin(), part.end()) == modifier; });
}

// No row names these. Kernels that have the first ones have the counters that the rows say. The others order and wait.
constexpr std::string_view kOfNoKind =
    " BAR CGAERRBAR LDC MEMBAR NOP S2UR ULDC UMOV "
    " ARRIVES B2R BSSY DEPBAR FENCE NANOSLEEP SYNCS WARPGROUP YIELD ";

// Whether a counter of a pipe or of threads may include an opcode that its row does not name, because no row of pipes
// (for threads: no row) says what it is.
bool MayInclude(const InstructionKind& kind, std::string_view mnemonic, bool hopper) {
  if (!(kind.hopper || kind.threads) || IsAmong(kOfNoKind, mnemonic)) return false;
  // The uniform datapath of sm_90 has integers alone, and no counter of threads includes them.
  if (hopper && mnemonic.starts_with('U')) return kind.id == "pipe_uniform_inst";
  return std::ranges::none_of(InstructionKinds(), [&](const InstructionKind& other) {
    return (kind.threads || !other.threads) && (IsAmong(other.counted, mnemonic) || IsAmong(other.uncertain, mnemonic));
  });
}

std::vector<OpcodeCounter> CountersOf(const OpcodeCounts& counts, bool of_threads, bool hopper) {
  std::vector<OpcodeCounter> counters;
  for (const InstructionKind& kind : InstructionKinds()) {
    // Names do not tell requests, because guards switch some off, nor what is `rare`.
    if (kind.threads != of_threads || (kind.hopper && !hopper) || kind.requests || kind.rare) continue;
    double value = 0;
    bool is_exact = true;
    for (const auto& [opcode, count] : counts) {
      if (count == 0) continue;
      SassInstruction instruction;
      instruction.opcode = opcode;
      instruction.mnemonic = MnemonicOf(opcode);
      const double part = PartCounted(kind, instruction);
      is_exact &= part == 1 || (part == 0 && !MayInclude(kind, instruction.mnemonic, hopper));
      value += part * count;
    }
    if (is_exact) counters.push_back({kind.id, value});
  }
  return counters;
}

constexpr std::string_view kGeneric = " LD ST ";

// Loads and stores of a memory, and the ids of what their widths say.
struct Accesses {
  std::string_view names, mean, counted, narrow, spared;
};
constexpr Accesses kAccesses[] = {
    {" LDS STS LDSM STSM ", "shared_access_bytes", "sass_shared_width_inst", "sass_shared_narrow_inst",
     "sass_shared_spared_inst"},
    {" LDG STG LDGSTS ", "global_access_bytes", "sass_global_width_inst", "sass_global_narrow_inst",
     "sass_global_spared_inst"},
};

void AddWidths(const OpcodeCounts& executed, const Accesses& of, std::vector<OpcodeCounter>& counters) {
  double all = 0, bytes = 0, narrow = 0, spared = 0, generic = 0;
  for (const auto& [opcode, count] : executed) {
    if (count == 0) continue;
    if (IsAmong(kGeneric, MnemonicOf(opcode))) generic += count;
    if (!IsAmong(of.names, MnemonicOf(opcode))) continue;
    const int width = AccessBytesOf(opcode);
    if (width == 0) return;
    all += count;
    bytes += count * width;
    narrow += count * NarrowAccess(width);
    spared += count * SparedAccess(width);
  }
  // Accesses without a known memory may be to this one.
  if (generic > 0) return;
  counters.push_back({of.mean, all > 0 ? bytes / all : 0});
  counters.insert(counters.end(), {{of.counted, all}, {of.narrow, narrow}, {of.spared, spared}});
}

}  // namespace

std::vector<OpcodeCounter> CountersOfWarps(const OpcodeCounts& executed, bool hopper) {
  std::vector<OpcodeCounter> counters = CountersOf(executed, false, hopper);
  double barriers = 0;
  for (const auto& [opcode, count] : executed)
    if (MnemonicOf(opcode) == "BAR") barriers += count;
  counters.push_back({"barrier_inst", barriers});
  for (const Accesses& accesses : kAccesses) AddWidths(executed, accesses, counters);
  return counters;
}

std::vector<OpcodeCounter> CountersOfThreads(const OpcodeCounts& threads, bool hopper) {
  return CountersOf(threads, true, hopper);
}

int AccessBytesOf(std::string_view opcode) {
  const std::string_view mnemonic = MnemonicOf(opcode);
  if (mnemonic == "LDSM" || mnemonic == "STSM") {
    // One, two or four matrices of 8 x 8 elements of 16 bits, of which a thread has 4 bytes each.
    if (!HasModifier(opcode, "M88") && !HasModifier(opcode, "MT88")) return 0;
    return HasModifier(opcode, "4") ? 16 : HasModifier(opcode, "2") ? 8 : 4;
  }
  if (std::ranges::none_of(kAccesses, [&](const Accesses& of) { return IsAmong(of.names, mnemonic); })) return 0;
  static constexpr struct {
    std::string_view modifier;
    int bytes;
  } kWidths[] = {{"U8", 1}, {"S8", 1}, {"U16", 2}, {"S16", 2}, {"64", 8}, {"128", 16}, {"256", 32}};
  for (const auto& [modifier, bytes] : kWidths)
    if (HasModifier(opcode, modifier)) return bytes;
  return 4;
}

}  // namespace culprit
