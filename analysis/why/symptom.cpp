// SPDX-License-Identifier: Apache-2.0
#include "analysis/why/symptom.h"

namespace culprit {
namespace {

const std::vector<Symptom>& Symptoms() {
  static const std::vector<Symptom> symptoms = {
      {"local_memory_array", "local sectors", {"local_load_sectors", "local_store_sectors"}, {}},
      {"local_memory_spill", "local sectors", {"local_load_sectors", "local_store_sectors"}, {}},
      {"local_memory_unknown", "local sectors", {"local_load_sectors", "local_store_sectors"}, {}},
      {"shared_bank_conflicts", "excess wavefronts", {"sass_shared_wavefronts"}, {"sass_shared_wavefronts_ideal"}},
      {"shared_access_width", "shared accesses", {"sass_shared_inst"}, {}},
      {"shared_traffic", "shared wavefronts without conflicts", {"sass_shared_wavefronts_ideal"}, {}},
      {"global_uncoalesced", "excess sectors", {"sass_global_sectors"}, {"sass_global_sectors_ideal"}},
      {"global_access_width", "global accesses", {"global_load_inst", "global_store_inst"}, {}},
      {"l2_traffic", "sectors at L2", {"l2_sectors"}, {}},
      {"dram_traffic", "bytes from and to DRAM", {"dram_bytes"}, {}},
      {"instruction_count", "instructions", {"inst_executed"}, {}},
      {"fp64_pipe", "FP64 instructions", {"pipe_fp64_inst"}, {}},
      {"fp16_pipe", "half-precision instructions", {"fp16_thread_inst"}, {}},
      {"sfu_pipe", "XU instructions", {"pipe_xu_inst"}, {}},
  };
  return symptoms;
}

}  // namespace

Measured Symptom::Of(const KernelView& kernel) const {
  Measured sum = 0.0;
  for (const std::string_view id : plus) sum = sum + kernel.Get(id);
  for (const std::string_view id : minus) sum = sum - kernel.Get(id);
  return sum;
}

const Symptom* SymptomOf(std::string_view cause) {
  for (const Symptom& symptom : Symptoms())
    if (symptom.cause == cause) return &symptom;
  return nullptr;
}

}  // namespace culprit
