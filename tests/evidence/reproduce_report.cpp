// SPDX-License-Identifier: Apache-2.0
#include "tests/evidence/reproduce_report.h"

#include <fmt/core.h>

#include "analysis/number/joined.h"
#include "analysis/show/report/run_header.h"
#include "tests/evidence/seeds/reproduce.h"
#include "tests/evidence/seeds/seed_stages.h"

namespace culprit {

Report MakeReproduceReport(const Recording& recording, const std::string& name, bool wide,
                           const std::vector<Warning>& warnings) {
  Report report{.kind = "reproduce", .title = "Tables of the seeds, reproduced"};
  // Only fp32 stages have times at other sizes, in one table.
  AddRunHeader(recording.run(), AtShape(warnings, SquareShape(kReproducedSize)), report);
  for (const ReproducedTable& table : ReproducedTables())
    if (name.empty() || name == table.name)
      for (Section& section : table.make(recording, wide)) report.sections.push_back(std::move(section));
  if (report.sections.empty())
    throw Error(fmt::format("there is no table '{}': name one of {}.", name,
                            Joined(ReproducedTables(), &ReproducedTable::name)));
  if (std::string nothing = NothingOfTheSeeds(recording); !nothing.empty()) {
    for (Section& section : report.sections) section.detail = true;
    report.notes.push_back(std::move(nothing));
  }
  return report;
}

}  // namespace culprit
