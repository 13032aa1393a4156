// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <memory>
#include <sstream>

#include "analysis/cli/command.h"
#include "analysis/cli/find_timeline.h"
#include "analysis/cli/server.h"
#include "analysis/cli/text_file.h"
#include "analysis/number/printable.h"
#include "analysis/show/report/perfetto.h"
#include "db/compressed.h"

namespace culprit {
namespace {

struct Arguments {
  std::string db;
  std::vector<std::string> runs;
  std::string run, file, format, table;
  bool json = false;
};

bool SameFile(const std::string& a, const std::string& b) {
  std::error_code none;
  return std::filesystem::weakly_canonical(a, none) == std::filesystem::weakly_canonical(b, none) ||
         std::filesystem::equivalent(a, b, none);
}

// The name alone is not enough: a link to the database is the database.
void RefuseTheDatabase(const std::string& file, const std::string& database) {
  for (const char* suffix : {"", "-wal", "-shm", "-journal"})
    if (SameFile(file, database + suffix))
      throw Error("cannot export to " + file + ": it belongs to the database that is being exported, " + database +
                  "; choose another file with -o.");
}

// One run: a page of Perfetto shows one timeline.
std::string PerfettoText(const Database& database, const std::vector<std::string>& runs) {
  if (runs.size() > 1)
    throw Error("export --format perfetto writes one run: name one, and call it again for the others.");
  const auto [run, timeline] = FindTimeline(database, {.run = runs.empty() ? "" : runs.front()});
  std::ostringstream text;
  WritePerfetto(run, timeline, database.LoadKernels(run.id, Ordinals::kAll), text);
  return text.str();
}

std::string SqlText(const Database& database, const std::vector<std::string>& names) {
  std::vector<RunId> runs;
  for (const std::string& run : names) runs.push_back(database.FindRun({run, "", ""}).id);
  database.CheckWhole();
  return database.Export(runs);
}

// A table of a server. It may be large, so it is written as it comes.
void ExportCsv(const Arguments& args, Streams& streams) {
  if (!NamesServer(args.db) || args.format != "csv")
    throw Error("export --format csv writes a table of a server, and a server only exports csv: --db postgresql://... --format csv.");
  if (!args.runs.empty() || !args.run.empty()) throw Error("export --format csv writes all runs; choose with SQL what to read of it.");
  Fleet fleet(args.db);
  const std::string table = args.table.empty() ? "fleet_kernel_time" : args.table;
  if (args.file.empty()) {
    fleet.Csv(table, streams.out);
    return;
  }
  std::ostringstream text;
  fleet.Csv(table, text);
  ReplaceTextFile(args.file, args.file.ends_with(".zst") ? Compressed(text.str()) : text.str());
}

}  // namespace

Action AddExport(Syntax& syntax) {
  auto args = std::make_shared<Arguments>();
  AddDatabaseOption(syntax, args->db);
  syntax.Add("RUN", &args->run, "the run to write, as --run", {.words = "runs"});
  syntax.Add("--format", &args->format,
             "sql: for 'culprit import' (the default). perfetto: the timeline of one run as JSON for ui.perfetto.dev. "
             "csv: a table of a server (--db postgresql://...)",
             {.value = "FORMAT", .among = {"sql", "perfetto", "csv"}});
  syntax.Add("--table", &args->table, "the table for csv (default: fleet_kernel_time)",
             {.value = "NAME", .among = TextsOf(Fleet::CsvTables(), [](std::string_view name) { return name; })});
  syntax.Add("--run", &args->runs, "UUID prefix, id or label; may be repeated (default: every run)",
             {.value = "RUN", .words = "runs"});
  syntax.Add("-o,--out,--output", &args->file,
             "write here instead of to standard output; compressed by Zstandard if the name ends in .zst",
             {.value = "FILE"});
  syntax.Add("--json", &args->json, "say what was exported as JSON; needs -o");
  return [args](Streams& streams) {
    if (!args->table.empty() && args->format != "csv") throw Error("export --table needs --format csv.");
    if (args->json && args->file.empty())
      throw Error("export --json needs -o FILE: standard output has the export itself.");
    std::vector<std::string> runs = args->runs;
    if (!args->run.empty()) runs.push_back(args->run);
    if (!args->file.empty()) RefuseTheDatabase(args->file, args->db);
    if (NamesServer(args->db) || args->format == "csv") return ExportCsv(*args, streams);
    const Database database = Database::OpenForReading(args->db);
    const bool is_perfetto = args->format == "perfetto";
    std::string text = is_perfetto ? PerfettoText(database, runs) : SqlText(database, runs);
    if (args->file.ends_with(".zst")) text = Compressed(text);
    if (args->file.empty()) {
      streams.out << (streams.terminal ? PrintableLines(text) : text);
      return;
    }
    ReplaceTextFile(args->file, text);
    const std::size_t count = is_perfetto ? 1 : runs.empty() ? database.CountRuns() : runs.size();
    Report report{"export", "Export"};
    report.sections = {{.key = "written",
                        .facts = {{"file", "file", args->file},
                                  {"runs", "runs", {static_cast<double>(count), Unit::kCount}},
                                  {"bytes", "size", {static_cast<double>(text.size()), Unit::kBytes}}}}};
    Render(report, {.json = args->json}, streams);
  };
}

}  // namespace culprit
