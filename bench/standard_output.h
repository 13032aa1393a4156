// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace culprit {

// Ignores a reader that closes the pipe early (`gemm_bench --help | head`), so that a recording continues.
void LetReadersLeave();

// Flushes standard output. Throws culprit::Error when not everything was written, unless the reader closed the pipe.
void FinishStandardOutput();

}  // namespace culprit
