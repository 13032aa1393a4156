// SPDX-License-Identifier: Apache-2.0
// Counts what access patterns cost on this GPU: exactly, instruction by instruction (CUPTI SASS metrics), and as the
// hardware's own counter of wavefronts says.
#pragma once
#include <string>
#include <vector>

#include "tests/bank_patterns/measured.h"
#include "tests/gpu/bank_slots.h"

namespace culprit::testing {

// Patterns of one instruction, as many as a launch has room for: what one process can count (docs/evidence/cupti.md).
struct BankBatch {
  BankInstruction instruction;
  std::vector<BankPattern> patterns;
};
std::vector<BankBatch> Batches(const std::vector<BankPattern>& patterns);

// In this process, which can do it once. A pattern for which CUPTI counts nothing is left out, with a sentence on
// stderr. Throws culprit::Error when this GPU cannot be counted.
std::vector<MeasuredPattern> MeasureBatch(const BankBatch& batch);

// Wavefronts of each pattern by l1tex__data_pipe_lsu_wavefronts_mem_shared; empty where this GPU has no such
// instruction. Throws culprit::Error when the counters cannot be read.
std::vector<std::optional<double>> ReadCounter(const std::vector<BankPattern>& patterns);

}  // namespace culprit::testing
