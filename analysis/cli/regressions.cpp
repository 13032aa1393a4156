// SPDX-License-Identifier: Apache-2.0
#include "analysis/fleet/regressions.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "analysis/cli/server.h"
#include "analysis/show/report/regressions_report.h"

namespace culprit {
namespace {

struct Arguments {
  std::string server, history = "90d";
  FleetFilter filter;
  OutputOptions output;
};

struct OwnFormat {
  std::string_view name;
  void (*render)(const Regressions&, std::ostream&);
};
constexpr OwnFormat kOwnFormats[] = {
    {"sarif", RenderRegressionsSarif}, {"junit", RenderRegressionsJunit}, {"github", RenderRegressionsGithub}};

constexpr const char* kNotes =
    "Looks at every kernel of every workload, on each GPU model and branch, that ran\n"
    "since then, and at the sum of each workload's kernels. A step counts if it lasts\n"
    "and exceeds the noise between recordings. Of all steps that are announced, at\n"
    "most 5 % are expected to be false. A step with few runs behind it is a suspect.\n"
    "Exit status: 0 nothing became slower; 1 something did; 2 it could not be told;\n"
    "3 there are only suspects.";

void Run(const Arguments& args, Streams& streams) {
  Fleet fleet(ServerOf(args.server));
  const FleetWindow window = fleet.Window(args.filter, args.history);
  if (window.first_new == window.runs.size())
    throw Error(
        fmt::format("the server has no run since {} that you asked for, so nothing can be told; 'culprit pull --list' "
                    "shows what it has.",
                    args.filter.since));
  const Regressions found = FindRegressions(window, args.filter.since, fleet);
  const auto own = std::ranges::find(kOwnFormats, args.output.json ? "json" : args.output.format, &OwnFormat::name);
  if (own == std::end(kOwnFormats))
    Render(MakeRegressionsReport(found), args.output, streams);
  else
    own->render(found, streams.out);
  const auto any = [&](bool lasting) {
    return std::ranges::any_of(found.found,
                               [&](const Regression& r) { return r.Counts() && r.step.step.is_lasting == lasting; });
  };
  streams.exit_status = any(true) ? 1 : any(false) ? 3 : 0;
}

}  // namespace

Action AddRegressions(Syntax& syntax) {
  auto args = std::make_shared<Arguments>();
  args->filter.since = "7d";
  AddServer(syntax, args->server);
  syntax.Add("--since", &args->filter.since, "7d, 36h, 2w, or 2026-11-21 (default: 7d)",
             {.value = "TIME", .not_empty = true});
  syntax.Add("--history", &args->history, "how far before that runs are compared with (default: 90d)",
             {.value = "SPAN", .not_empty = true});
  syntax.Add("--branch", &args->filter.branch, "only this branch (default: each)",
             {.value = "NAME", .not_empty = true});
  syntax.Add("--gpu", &args->filter.gpu, "only GPUs with this in their name", {.value = "NAME", .not_empty = true});
  syntax.Add("--workload", &args->filter.workload, "only programs with this in their name",
             {.value = "NAME", .not_empty = true});
  AddOutputOptions(syntax, args->output, TextsOf(kOwnFormats, &OwnFormat::name));
  syntax.notes = kNotes;
  return [args](Streams& streams) { Run(*args, streams); };
}

}  // namespace culprit
