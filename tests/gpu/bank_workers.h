// SPDX-License-Identifier: Apache-2.0
// One process per batch of patterns, started from this same program.
#pragma once
#include <cstddef>
#include <ostream>
#include <string_view>
#include <vector>

#include "tests/bank_patterns/measured.h"

namespace culprit::testing {

// Options of the program with which it is started as a worker.
inline constexpr std::string_view kBatchWorker = "--batch-worker";  // and the number of the batch
inline constexpr std::string_view kCounterWorker = "--counter-worker";

// Every pattern of BankPatterns(), in their order. With `counter` also the hardware's counter, which takes longer.
// Throws culprit::Error when a worker fails.
std::vector<MeasuredPattern> MeasureInProcesses(bool counter);

// The workers' side.
void WorkOnBatch(std::size_t batch, std::ostream& out);
void WorkOnCounter(std::ostream& out);

}  // namespace culprit::testing
