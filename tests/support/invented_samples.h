// SPDX-License-Identifier: Apache-2.0
// Samples of kernels that were compiled and never ran: the code is what nvcc 13.0 made of sampled.cu for sm_90
// (sampled.sass: first and second word of each instruction and its lines, innermost first), the samples are invented.
#pragma once
#include <filesystem>
#include <string>

#include "db/code.h"

namespace culprit::testing {

// "transpose_unpadded", "transpose_padded" or "local_sums".
MachineCode SampledCode(const std::string& function);
SamplingRecord InventedSamples(const std::string& function);

// Run "sampled" with the three of them as stages of those names, local_sums with exact counts of some instructions, and
// "not_sampled" without samples.
void WriteSampledDatabase(const std::filesystem::path& file);

// As WriteWhyDatabase; v1_7 and v1_6 have samples, as if both had been local_sums, once without waiting for local
// memory.
void WriteSampledWhyDatabase(const std::filesystem::path& file);

}  // namespace culprit::testing
