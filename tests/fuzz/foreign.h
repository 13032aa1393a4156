// SPDX-License-Identifier: Apache-2.0
// What holds for a report of another tool, whatever is in it.
#pragma once
#include <string>
#include <string_view>

#include "bench/foreign/report.h"
#include "db/database.h"
#include "tests/fuzz/fuzz.h"

namespace culprit::fuzz {

// It is refused with a sentence, or becomes a run that can be imported.
inline void ImportReport(std::string_view text) {
  if (KindOf(text) == ForeignKind::kNone) return;
  std::string sql;
  if (!Accepts([&] { sql = AsExport(ReadForeign(text, {"fuzz", "/nowhere", "2026-01-01T00:00:00Z", "fuzz"})); }))
    return;
  Database database = Database::InMemory();
  Require(database.Import(sql, "fuzz").runs_added == 1, "a report that was accepted is no run");
}

}  // namespace culprit::fuzz
