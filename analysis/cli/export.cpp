// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <sstream>

#include "analysis/cli/command.h"
#include "analysis/cli/find_timeline.h"
#include "analysis/cli/given_files.h"
#include "analysis/cli/locate.h"
#include "analysis/cli/server.h"
#include "analysis/cli/text_file.h"
#include "analysis/launch/recording.h"
#include "analysis/number/printable.h"
#include "analysis/show/report/perfetto.h"
#include "analysis/show/report/profile_formats.h"
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

std::string PerfettoText(const Database& database, const std::string& name) {
  const auto [run, timeline] = FindTimeline(database, {.run = name});
  std::ostringstream text;
  WritePerfetto(run, timeline, database.LoadKernels(run.id, Ordinals::kAll), text);
  return text.str();
}

template <auto write>
std::string TimesText(const Database& database, const std::string& name) {
  const RunSummary run = PickRun(database, {.run = name});
  const std::vector<KernelTime> kernels = KernelTimesOf(database, run.id);
  if (kernels.empty())
    throw Error(fmt::format("run {} has no kernel with a time; name another run ('culprit runs' lists them).",
                            ShortUuid(run.run)));
  if constexpr (std::is_invocable_v<decltype(write), std::span<const KernelTime>>)
    return write(kernels);
  else
    return write(run, kernels);
}

// Formats of other tools, of one run: each is a page, a profile or a list of results of one program.
struct OtherFormat {
  std::string_view name, about;
  std::string (*text)(const Database& database, const std::string& run);
  bool is_binary = false;
};
constexpr OtherFormat kOtherFormats[] = {
    {"perfetto", "the timeline as JSON for ui.perfetto.dev", PerfettoText},
    {"folded", "time by kernel and line, for flamegraph.pl and speedscope", TimesText<FoldedText>},
    {"pprof", "the same for pprof", TimesText<PprofBytes>, true},
    {"bmf", "times of kernels as JSON for Bencher", TimesText<BmfText>},
    {"hud", "as JSON for PyTorch's HUD (oss_ci_benchmark_v3)", TimesText<HudText>},
    {"openmetrics", "as text for Prometheus", TimesText<OpenMetricsText>},
};

std::string SqlText(const Database& database, const std::vector<std::string>& names) {
  std::vector<RunId> runs;
  for (const std::string& run : names) runs.push_back(database.FindRun({run, "", ""}).id);
  database.CheckWhole();
  return database.Export(runs);
}

// A table of a server. It is in memory as a whole, so a large one is better read with psql.
void ExportCsv(const Arguments& args, Streams& streams) {
  if (!IsServer(args.db) || args.format != "csv")
    throw Error(
        "export --format csv writes a table of a server, and a server only exports csv: --db postgresql://... --format "
        "csv.");
  if (!args.runs.empty() || !args.run.empty())
    throw Error("export --format csv writes all runs; choose with SQL what to read of it.");
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
  syntax.Add("RUN", &args->run, std::string("the run to write, as --run") + kFileHelp, {.words = "runs"});
  std::vector<std::string> formats{"sql"};
  std::string about = "sql: for 'culprit import' (the default). Of one run:";
  for (const OtherFormat& format : kOtherFormats) {
    formats.emplace_back(format.name);
    about += fmt::format("{} {}: {}", formats.size() > 2 ? ";" : "", format.name, format.about);
  }
  formats.emplace_back("csv");
  about += "; csv: a table of a server (--db postgresql://...)";
  syntax.Add("--format", &args->format, about, {.value = "FORMAT", .among = formats});
  syntax.Add("--table", &args->table, "the server's table for csv (default: fleet_kernel_time)",
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
    if (IsServer(args->db) || args->format == "csv") return ExportCsv(*args, streams);
    std::vector<std::string*> words;
    for (std::string& run : runs) {
      if (!args->file.empty() && SameFile(args->file, run))
        throw Error(fmt::format("cannot export {0} to {0}; choose another file with -o.", run));
      words.push_back(&run);
    }
    const Database database = OpenWithFiles(args->db, words, streams.err);
    const auto other = std::ranges::find(kOtherFormats, args->format, &OtherFormat::name);
    const bool is_other = other != std::end(kOtherFormats);
    if (is_other && runs.size() > 1)
      throw Error(
          fmt::format("export --format {} writes one run: name one, and call it again for the others.", args->format));
    if (is_other && other->is_binary && args->file.empty() && streams.terminal)
      throw Error(fmt::format("export --format {} is no text for a terminal; name a file with -o.", args->format));
    std::string text = is_other ? other->text(database, runs.empty() ? "" : runs.front()) : SqlText(database, runs);
    if (args->file.ends_with(".zst")) text = Compressed(text);
    if (args->file.empty()) {
      streams.out << (streams.terminal ? PrintableLines(text) : text);
      return;
    }
    ReplaceTextFile(args->file, text);
    const std::size_t count = is_other ? 1 : runs.empty() ? database.CountRuns() : runs.size();
    Report report{"export", "Export"};
    report.sections = {{.key = "written",
                        .facts = {{"file", "file", args->file},
                                  {"runs", "runs", {static_cast<double>(count), Unit::kCount}},
                                  {"bytes", "size", {static_cast<double>(text.size()), Unit::kBytes}}}}};
    Render(report, {.json = args->json}, streams);
  };
}

}  // namespace culprit
