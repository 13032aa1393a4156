// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <memory>

#include "analysis/cli/command.h"
#include "analysis/cli/text_file.h"
#include "analysis/number/printable.h"
#include "db/compressed.h"

namespace culprit {
namespace {

struct Arguments {
  std::string db;
  std::vector<std::string> runs;
  std::string file;
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

}  // namespace

Action AddExport(Syntax& syntax) {
  auto args = std::make_shared<Arguments>();
  AddDatabaseOption(syntax, args->db);
  syntax.Add("--run", &args->runs, "UUID prefix, id or label; may be repeated (default: every run)",
             {.value = "RUN", .words = "runs"});
  syntax.Add("-o,--output", &args->file,
             "write here instead of to standard output; compressed by Zstandard if the name ends in .zst",
             {.value = "FILE"});
  syntax.Add("--json", &args->json, "say what was exported as JSON; needs -o");
  return [args](Streams& streams) {
    if (args->json && args->file.empty()) throw Error("export --json needs -o FILE: the export itself is SQL text.");
    if (!args->file.empty()) RefuseTheDatabase(args->file, args->db);
    const Database database = Database::OpenForReading(args->db);
    std::vector<RunId> runs;
    for (const std::string& run : args->runs) runs.push_back(database.FindRun({run, "", ""}).id);
    database.CheckWhole();
    std::string text = database.Export(runs);
    if (args->file.ends_with(".zst")) text = Compressed(text);
    if (args->file.empty()) {
      streams.out << (streams.terminal ? PrintableLines(text) : text);
      return;
    }
    ReplaceTextFile(args->file, text);
    const std::size_t count = runs.empty() ? database.CountRuns() : runs.size();
    Report report{"export", "Export"};
    report.sections = {{.key = "written",
                        .facts = {{"file", "file", args->file},
                                  {"runs", "runs", {static_cast<double>(count), Unit::kCount}},
                                  {"bytes", "size", {static_cast<double>(text.size()), Unit::kBytes}}}}};
    Render(report, {.json = args->json}, streams);
  };
}

}  // namespace culprit
