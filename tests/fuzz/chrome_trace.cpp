// SPDX-License-Identifier: Apache-2.0
// Traces in Chrome's format (PyTorch, JAX): as a whole, and as the list of events.
#include "tests/fuzz/foreign.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = culprit::fuzz::Text(data, size);
  culprit::fuzz::ImportReport(text);
  culprit::fuzz::ImportReport("{\"schemaVersion\":1,\"traceEvents\":[" + std::string(text) + "]}");
  return 0;
}
