// SPDX-License-Identifier: Apache-2.0
// Of what a part of a program's time is a part.
#pragma once
#include <optional>

#include "db/records.h"

namespace culprit {

// The time in which kernels or copies ran, which their shares add up to: the span without what was idle, such as the
// start of a program between its first copy and its first kernel. None where the span was not measured.
inline std::optional<double> WorkUs(const ProgramRecord& program) {
  if (!program.span_us || !program.idle_us) return std::nullopt;
  return *program.span_us - *program.idle_us;
}

}  // namespace culprit
