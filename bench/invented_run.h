// SPDX-License-Identifier: Apache-2.0
// Invented runs, for benchmarks of the database and of commands.
#pragma once
#include <fmt/format.h>

#include "db/records.h"

namespace culprit {

// A run on an invented GPU. A run with a larger number is later.
inline RunRecord InventedRun(int number) {
  RunRecord run;
  run.uuid = fmt::format("{:08x}-0000-4000-8000-000000000000", number);
  run.started_utc =
      fmt::format("2026-{:02}-{:02}T{:02}:00:00Z", 1 + number / 24 / 28 % 12, 1 + number / 24 % 28, number % 24);
  run.profile = "core";
  run.l2 = "hot";
  run.device = {.name = "Invented GPU", .chip = {}, .sm_count = 100, .fp32_lanes_per_sm = 128, .sm_clock_mhz = 2000};
  return run;
}

}  // namespace culprit
