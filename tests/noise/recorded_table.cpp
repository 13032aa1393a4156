// SPDX-License-Identifier: Apache-2.0
#include "tests/noise/recorded_table.h"

#include <fmt/format.h>

#include "analysis/number/format.h"

namespace culprit::testing {
namespace {

constexpr Speed kSpeeds[] = {Speed::kSame, Speed::kSlower, Speed::kFaster, Speed::kAmbiguous};

std::string Cells(const Tally& tally) {
  std::string cells = fmt::format(" {} |", tally.pairs);
  for (const Speed speed : kSpeeds) {
    const auto found = tally.speeds.find(speed);
    cells += fmt::format(" {} |", found == tally.speeds.end() ? 0 : found->second);
  }
  return cells;
}

}  // namespace

std::string RecordedTable(const RecordedPairs& recorded) {
  std::string lines;
  Tally all_same, all_slower;
  for (const std::string& kernel : recorded.kernels()) {
    Tally same, slower;
    for (const auto& pairs : {recorded.Neighbours(), recorded.Distant()}) {
      same += recorded.Same(kernel, pairs);
      slower += recorded.Slower(kernel, pairs);
    }
    lines += fmt::format("| {} | {} | {} |{}{}\n", kernel, Format(recorded.TimeUs(kernel), Unit::kTimeUs),
                         Format(100 * recorded.Added(kernel), Unit::kChangePercent), Cells(same), Cells(slower));
    all_same += same;
    all_slower += slower;
  }
  return fmt::format(
      "{} processes, each against its neighbour and against one half of the recording away.\n\n"
      "| kernel | median | 2 % more work adds, in cycles | the same kernel: pairs | same | slower | faster | ambiguous "
      "| "
      "2 % more work: pairs | same | slower | faster | ambiguous |\n"
      "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n"
      "{}| all | | |{}{}\n"
      "\nWrong about the same kernel: {}. 2 % found: {}.\n",
      recorded.processes(), lines, Cells(all_same), Cells(all_slower),
      Format(100 * (1 - all_same.Share(Speed::kSame)), Unit::kPercent),
      Format(100 * all_slower.Share(Speed::kSlower), Unit::kPercent));
}

}  // namespace culprit::testing
