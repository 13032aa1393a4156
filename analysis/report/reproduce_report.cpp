// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/reproduce_report.h"

#include <fmt/core.h>

#include "analysis/report/run_header.h"
#include "analysis/seeds/reproduce.h"
#include "analysis/seeds/seed_stages.h"

namespace culprit {

Report MakeReproduceReport(const Recording& recording, const std::string& name, bool wide,
                           const std::vector<Warning>& warnings) {
  Report report;
  report.kind = "reproduce";
  report.title = "Tables of the seeds, reproduced";
  // Times at other sizes are shown of fp32 stages alone, in one table.
  AddRunHeader(recording.run(), AtShape(warnings, SquareShape(kReproducedSize)), report);
  std::string names;
  bool found = false;
  for (const ReproducedTable& table : ReproducedTables()) {
    names += (names.empty() ? "" : ", ") + std::string(table.name);
    if (!name.empty() && name != table.name) continue;
    found = true;
    for (Section& section : table.make(recording, wide)) report.sections.push_back(std::move(section));
  }
  if (std::string nothing = NothingOfTheSeeds(recording); !nothing.empty()) {
    for (Section& section : report.sections) section.detail = true;
    report.notes.push_back(std::move(nothing));
  }
  if (!found) throw Error(fmt::format("there is no table '{}': name one of {}.", name, names));
  return report;
}

}  // namespace culprit
