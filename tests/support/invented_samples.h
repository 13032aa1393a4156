// SPDX-License-Identifier: Apache-2.0
// Invented samples of compiled kernels. The code is from nvcc 13.0 for sampled.cu and sm_90. sampled.sass has the two
// words of each instruction and its lines, innermost first.
#pragma once
#include <filesystem>
#include <string>

#include "db/code.h"

namespace culprit::testing {

// `function`: "transpose_unpadded", "transpose_padded" or "local_sums".
MachineCode SampledCode(const std::string& function);
SamplingRecord InventedSamples(const std::string& function);

// Run "sampled" with these three functions as stages, and a stage "not_sampled" without samples. local_sums has exact
// counts of some instructions.
void WriteSampledDatabase(const std::filesystem::path& file);

// As WriteWhyDatabase, but v1_7 and v1_6 have samples of local_sums. In v1_7, waiting for local memory has only an
// eighth of these samples.
void WriteSampledWhyDatabase(const std::filesystem::path& file);

}  // namespace culprit::testing
