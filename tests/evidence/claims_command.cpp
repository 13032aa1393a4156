// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "analysis/cli/locate.h"
#include "tests/evidence/claims_report.h"
#include "tests/evidence/tool.h"

namespace culprit {
namespace {

struct Arguments : ReportOptions {
  Selector selector;
  std::vector<std::string> ids;
};

}  // namespace

Action AddClaims(Syntax& syntax) {
  auto args = std::make_shared<Arguments>();
  syntax.Add("CLAIM", &args->ids, "ids of claims: their criteria and values (default: all claims, a row each)");
  AddReportOptions(syntax, *args);
  AddSelector(syntax, args->selector, "");
  return [args](Streams& streams) {
    const Database database = Database::OpenForReading(args->db);
    const RunSummary run = PickRun(database, args->selector);
    const Recording recording = Recording::Load(database, run);
    // A terminal has no room for whole sentences in columns.
    const bool wide = args->output.IsWide();
    Render(claims::MakeClaimsReport(recording, args->ids, wide, database.Warnings(run.id)), args->output, streams);
  };
}

}  // namespace culprit
