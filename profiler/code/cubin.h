// SPDX-License-Identifier: Apache-2.0
// The attributes of kernels in a cubin. A cubin is a 64-bit little-endian ELF file for machine EM_CUDA.
#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "db/records.h"

namespace culprit {

// One record per kernel of the cubin, in symbol order, with source "cubin": registers, stack_frame_bytes, local_bytes,
// static_shared_bytes, constant_bytes (constant bank 0: the parameters, and CUDA's own data before them), code_bytes,
// and max_threads if the kernel has launch bounds. `stage` is the kernel's symbol. The digest is over the kernel's
// code. Messages use `name` for the file. Throws culprit::Error when the bytes are not a cubin.
std::vector<BuildRecord> ReadCubin(std::string_view name, std::span<const unsigned char> bytes);

}  // namespace culprit
