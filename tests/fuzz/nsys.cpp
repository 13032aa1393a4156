// SPDX-License-Identifier: Apache-2.0
// SQLite files, as Nsight Systems exports them.
#include "tests/fuzz/foreign.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  culprit::fuzz::ImportReport(culprit::fuzz::Text(data, size));
  return 0;
}
