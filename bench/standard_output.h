// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace culprit {

// The reader of a pipe may leave early (`gemm_bench --help | head`): that is its right, and a recording goes on.
void LetReadersLeave();

// Writes out what standard output still holds. Throws culprit::Error when not all of it arrived, unless its reader
// left.
void FinishStandardOutput();

}  // namespace culprit
