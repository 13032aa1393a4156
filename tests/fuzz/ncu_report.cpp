// SPDX-License-Identifier: Apache-2.0
// What `ncu --csv` prints: as a whole, and behind a header and units that are right, so that rows are read.
#include "tests/fuzz/foreign.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = culprit::fuzz::Text(data, size);
  culprit::fuzz::ImportReport(text);
  culprit::fuzz::ImportReport(
      "\"ID\",\"Process ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\",\"gpu__time_duration.sum\","
      "\"sm__cycles_elapsed.max\",\"smsp__inst_issued.sum\",\"smsp__average_warps_issue_stalled_wait_per_issue_active."
      "ratio\",\"launch__registers_per_thread\"\n\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"us\",\"cycle\",\"inst\",\"inst\","
      "\"register/thread\"\n" +
      std::string(text));
  return 0;
}
