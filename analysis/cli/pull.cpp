// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "analysis/cli/server.h"
#include "analysis/show/render/tabulate.h"
#include "db/compressed.h"

namespace culprit {
namespace {

struct Arguments : ReportOptions {
  std::string server;
  FleetFilter filter;
  bool list = false;
};

constexpr const char* kNotes =
    "Brings the chosen runs into the file, where every command works: all of them, or\n"
    "none. Runs that the file already has are not added again. Without --run, --since\n"
    "or --limit it brings the newest 20.";

constexpr int kUsual = 20;

std::string TextOf(Fleet& fleet, const FleetRunSummary& run) {
  const std::string archive = fleet.Archive(run);
  try {
    return Decompressed(archive, kMostArchiveBytes);
  } catch (const Error& error) {
    throw Error(
        fmt::format("run {} is damaged on the server: {}; nothing was imported.", run.uuid.substr(0, 8), error.what()));
  }
}

void Run(Arguments args, Streams& streams) {
  if (args.filter.runs.empty() && args.filter.since.empty() && args.filter.most == 0) args.filter.most = kUsual;
  Fleet fleet(ServerOf(args.server));
  std::vector<FleetRunSummary> runs = fleet.Find(args.filter);
  Report report{"pull", args.list ? "Runs on the server, oldest first" : "Runs brought into " + args.db};
  std::vector<std::string> states(runs.size(), "on the server");
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (runs[i].pruned) states[i] = "pruned";
  if (!args.list) {
    if (runs.empty()) throw Error("the server has no run that you asked for; 'culprit pull --list' shows what it has.");
    std::vector<Database::ImportSource> sources;
    std::vector<std::size_t> of;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (runs[i].pruned) continue;
      of.push_back(i);
      sources.push_back({fmt::format("run {} of the server", runs[i].uuid.substr(0, 8)),
                         [&fleet, run = runs[i]] { return TextOf(fleet, run); }});
    }
    if (sources.empty()) throw Error("all these runs were pruned: the server has only their medians and causes.");
    const std::vector<Database::ImportResult> results = Database::ImportInto(args.db, sources);
    for (std::size_t i = 0; i < results.size(); ++i)
      states[of[i]] = results[i].runs_added > 0       ? "added"
                      : results[i].kept_apart.empty() ? "already there"
                                                      : "kept apart";
  }
  using Row = FleetRunSummary;
  ReportTable table = Tabulate<Row>("runs", "", runs,
                                    {{"run", "Run", [](const Row& r) { return r.uuid.substr(0, 8); }},
                                     {"run_uuid", &Row::uuid},
                                     {"recorded_utc", "Started", &Row::started},
                                     {"run_label", "Label", &Row::label},
                                     {"git_sha", "Commit", [](const Row& r) { return r.git_sha.substr(0, 12); }},
                                     {"branch", "Branch", &Row::branch},
                                     {"workload", "Workload", &Row::workload},
                                     {"gpu", "GPU", &Row::gpu},
                                     {"launches", "Kernels", Unit::kCount, &Row::launches},
                                     {"archive_bytes", "Size", Unit::kBytes, &Row::archive_bytes}});
  table.columns.push_back({"state", "State"});
  for (std::size_t i = 0; i < runs.size(); ++i) table.rows[i].emplace_back(states[i]);
  report.sections.push_back({"pulled", "", {}, {std::move(table)}});
  Render(report, args.output, streams);
}

}  // namespace

Action AddPull(Syntax& syntax) {
  auto args = std::make_shared<Arguments>();
  AddServer(syntax, args->server);
  AddFleetFilter(syntax, args->filter);
  syntax.Add("--kernel", &args->filter.kernel, "runs that have a kernel of this name",
             {.value = "KERNEL", .not_empty = true});
  syntax.Add("--limit", &args->filter.most, "only so many, the newest", {.value = "N", .least = 1});
  syntax.Add("--list", &args->list, "only list them");
  AddReportOptions(syntax, *args);
  syntax.notes = kNotes;
  return [args](Streams& streams) { Run(*args, streams); };
}

}  // namespace culprit
