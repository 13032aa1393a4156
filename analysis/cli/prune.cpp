// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "analysis/cli/server.h"

namespace culprit {

Action AddPrune(Syntax& syntax) {
  struct Arguments {
    std::string server, older_than;
    bool counters = false, dry_run = false;
    OutputOptions output;
  };
  auto args = std::make_shared<Arguments>();
  AddServer(syntax, args->server);
  syntax.Add("--older-than", &args->older_than, "runs that started before this: 90d, 26w, or 2026-11-21",
             {.value = "TIME", .required = true, .not_empty = true});
  syntax.Add("--counters", &args->counters, "also delete the rows of their counters");
  syntax.Add("--dry-run", &args->dry_run, "only say what would be deleted");
  AddOutputOptions(syntax, args->output);
  syntax.notes =
      "Deletes the archives of old runs, with their samples and instructions. Medians,\n"
      "verdicts and causes stay, so history and regressions see as far back as before;\n"
      "pull cannot bring such a run. Needs the role culprit_maintain.";
  return [args](Streams& streams) {
    Fleet fleet(ServerOf(args->server));
    const Fleet::Pruned pruned = fleet.Prune(args->older_than, args->counters, args->dry_run);
    Report report{"prune", args->dry_run ? "What would be pruned" : "Pruned"};
    report.sections.push_back(
        {.key = "pruned",
         .facts = {{"runs", "runs", {static_cast<double>(pruned.runs), Unit::kCount}},
                   {"archive_bytes", "archives", {static_cast<double>(pruned.bytes), Unit::kBytes}}}});
    Render(report, args->output, streams);
  };
}

}  // namespace culprit
