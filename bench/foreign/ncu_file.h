// SPDX-License-Identifier: Apache-2.0
// Nsight Compute's own file, which only ncu reads.
#pragma once
#include <string>

namespace culprit {

// Whether the name is one of a compressed report (.ncu-repz), which ncu writes since 2025.4. Its content is ncu's own.
bool IsCompressedNcuFile(const std::string& file);

// What `ncu --import FILE --csv --page raw --print-units base --print-metric-instances details` writes, or without the
// last option if this ncu does not know it. Throws culprit::Error with the command if there is no ncu on PATH, or with
// ncu's own words if it does not read the file.
std::string TextOfNcuFile(const std::string& file);

}  // namespace culprit
