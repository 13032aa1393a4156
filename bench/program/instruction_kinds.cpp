// SPDX-License-Identifier: Apache-2.0
#include "bench/program/instruction_kinds.h"

#include <string>

namespace culprit {
namespace {

// Each row agrees with the counter in the recordings (docs/evidence/samples_as_counters.md). HFMA2.MMA is a name of its
// own here, because it runs on the tensor pipe of sm_90. S2R reads some registers through the load/store unit.
constexpr InstructionKind kKinds[] = {
    {"shared_load_inst", " LDS ", " LD "},
    {"shared_store_inst", " STS ", " ST STSM STAS "},
    {"shared_ldsm_inst", " LDSM ", ""},
    {"shared_atom_inst", " ATOMS ", " ATOM REDAS "},
    {"local_load_inst", " LDL ", " LD "},
    {"local_store_inst", " STL ", " ST "},
    {"global_load_inst", " LDG ", " LD "},
    {"global_store_inst", " STG ", " ST "},
    {"global_load_requests", " LDG LDGSTS ", " LD ", true},
    {"global_store_requests", " STG ", " ST ", true},
    {"global_atom_requests", " ATOM ATOMG ", "", true, false, true},
    {"global_red_requests", " RED REDG ", " ATOM ", true, false, true},
    {"pipe_fma_inst", " FFMA FMUL FADD IMAD VIADD IDP ", " HADD2 HMUL2 HFMA2 ", false, true},
    {"pipe_alu_inst",
     " IADD3 LEA LOP3 SHF ISETP MOV SEL FSEL PRMT FMNMX FSETP FSET I2FP F2FP CS2R R2P P2R PLOP3 R2UR VIMNMX VIADDMNMX "
     "IABS SGXT BMSK VOTE VABSDIFF ELECT ",
     "", false, true},
    {"pipe_lsu_inst", " LDG LDS STS STG LDL STL LDSM STSM LDGSTS SHFL RED REDG ATOM ATOMG ATOMS LD ST LDGDEPBAR ",
     " S2R ERRBAR CCTL MATCH ", false, true},
    {"pipe_fp64_inst", " DADD DMUL DFMA DSETP DMNMX ", "", false, true},
    {"pipe_fp16_inst", " HADD2 HMUL2 HFMA2 ", "", false, true},
    {"pipe_xu_inst", " MUFU F2F F2I I2F FRND POPC FLO BREV ", "", false, true},
    {"pipe_uniform_inst", " UISETP USHF UIADD3 ULOP3 USEL ULEA UIMAD UPRMT UPLOP3 USGXT UBMSK UFLO UPOPC UBREV ",
     " VOTEU ", false, true},
    {"pipe_tensor_inst", " HMMA HGMMA HFMA2.MMA ", " IMMA DMMA BMMA IGMMA QGMMA BGMMA ", false, true},
    {"tensor_hmma_inst", " HMMA HGMMA HFMA2.MMA ", "", false, true},
    {"tensor_hfma2_inst", " HFMA2.MMA ", "", false, true},
    {"tensor_gmma_inst", " HGMMA ", " IGMMA QGMMA BGMMA ", false, true},
    {.id = "branch_inst",
     .counted = " BRA BRX JMP JMX CALL RET EXIT BSYNC BREAK WARPSYNC ",
     .uncertain = "",
     .rare = true},
    {.id = "ffma_thread_inst", .counted = " FFMA ", .uncertain = "", .threads = true},
    {.id = "fp32_thread_inst",
     .counted = " FFMA FADD FMUL MUFU FSETP FSEL FMNMX FSET FCHK ",
     .uncertain = "",
     .threads = true},
    {.id = "conversion_thread_inst", .counted = " I2F F2I F2F I2FP F2FP I2I FRND ", .uncertain = "", .threads = true},
    {.id = "fp16_thread_inst",
     .counted = " HADD2 HMUL2 HFMA2 HFMA2.MMA HSETP2 HMNMX2 HMMA HGMMA ",
     .uncertain = "",
     .threads = true},
    {.id = "fp64_thread_inst", .counted = " DADD DMUL DFMA DSETP DMNMX ", .uncertain = "", .threads = true},
    {.id = "integer_thread_inst",
     .counted = " IADD3 IMAD LEA ISETP LOP3 SHF IABS IMNMX VIMNMX VIADD VIADDMNMX POPC FLO BMSK SGXT BREV ",
     .uncertain = "",
     .threads = true},
};

// Guards switch few whole warps off.
constexpr double kOfGuarded = 0.85;

bool Names(std::string_view names, std::string_view name) {
  return !name.empty() && names.find(" " + std::string(name) + " ") != names.npos;
}

}  // namespace

std::span<const InstructionKind> InstructionKinds() { return kKinds; }

double PartCounted(const InstructionKind& kind, const SassInstruction& instruction) {
  const std::string_view name =
      instruction.opcode.starts_with("HFMA2.MMA") ? std::string_view("HFMA2.MMA") : instruction.mnemonic;
  if (Names(kind.counted, name)) return kind.requests && instruction.guarded ? kOfGuarded : 1;
  return Names(kind.uncertain, name) ? 0.5 : 0;
}

}  // namespace culprit
