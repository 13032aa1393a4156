// SPDX-License-Identifier: Apache-2.0
#include "analysis/launch/recording.h"

#include <string_view>

namespace culprit {

std::string WordFor(const RunRecord& run) {
  static constexpr std::string_view kNeedsNoQuotes =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+=,@%:-";
  const bool is_word =
      !run.label.empty() && run.label[0] != '-' && run.label.find_first_not_of(kNeedsNoQuotes) == std::string::npos;
  return is_word && run.program && run.program->source != ProgramSource::kRecord ? run.label : ShortUuid(run);
}

}  // namespace culprit
