// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>

#include "analysis/cli/command.h"

namespace culprit {
namespace {

struct Arguments {
  DatabaseOption db;
  std::vector<std::string> runs;
  std::string file;
  bool json = false;
};

void WriteFile(const std::string& file, const std::string& text) {
  errno = 0;
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (!out)
    throw Error("cannot write " + file + ": " + (errno ? std::strerror(errno) : "unknown error") +
                "; choose another file with -o.");
}

}  // namespace

Action AddExport(CLI::App& app) {
  auto args = std::make_shared<Arguments>();
  AddDatabaseOption(app, args->db);
  app.add_option("--run", args->runs, "UUID prefix, id or label; may be repeated (default: every run)")
      ->type_name("RUN")
      ->allow_extra_args(false);
  app.add_option("-o,--output", args->file, "write here instead of to standard output")->type_name("FILE");
  app.add_flag("--json", args->json, "say what was exported as JSON; needs -o");
  return [args](Streams& streams) {
    if (args->json && args->file.empty()) throw Error("export --json needs -o FILE: the export itself is SQL text.");
    const Database database = Database::OpenForReading(args->db.File());
    std::vector<RunId> runs;
    for (const std::string& run : args->runs) runs.push_back(database.FindRun({run, "", ""}).id);
    const std::string text = database.Export(runs);
    if (args->file.empty()) {
      streams.out << text;
      return;
    }
    WriteFile(args->file, text);
    const std::size_t count = runs.empty() ? database.Runs().size() : runs.size();
    Report report{"export", "Export", {}, {}, {}, {}, {}};
    report.sections.push_back({"written",
                               "",
                               {{"file", "file", args->file},
                                {"runs", "runs", Number{static_cast<double>(count), Unit::kCount}},
                                {"bytes", "size", Number{static_cast<double>(text.size()), Unit::kBytes}}},
                               {},
                               {},
                               {}});
    Render(report, {"text", args->json}, streams);
  };
}

}  // namespace culprit
