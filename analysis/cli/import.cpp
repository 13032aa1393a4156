// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>

#include "analysis/cli/command.h"

namespace culprit {
namespace {

struct Arguments {
  DatabaseOption db;
  OutputOptions output;
  std::vector<std::string> files;
};

std::string ReadFile(const std::string& file) {
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  // A directory opens and then fails to read.
  if (!in || (text.empty() && errno != 0))
    throw Error("cannot read " + file + ": " + (errno ? std::strerror(errno) : "unknown error") +
                "; give files written by culprit export.");
  return text;
}

}  // namespace

Action AddImport(CLI::App& app) {
  auto args = std::make_shared<Arguments>();
  app.add_option("FILE", args->files, "SQL text written by culprit export")->required();
  AddDatabaseOption(app, args->db);
  AddOutputOptions(app, args->output);
  return [args](Streams& streams) {
    // Read all before the first is stored: a misspelt name should not leave half of the files imported.
    std::vector<std::string> texts;
    for (const std::string& file : args->files) texts.push_back(ReadFile(file));
    Database database = Database::OpenForRecording(args->db.File());
    Report report{"import", "Import into " + args->db.File(), {}, {}, {}, {}, {}};
    ReportTable table{
        "files", "", {{"file", "File"}, {"runs_added", "Runs added"}, {"runs_already_there", "Already there"}}, {}, {}};
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const Database::ImportResult result = database.Import(texts[i], args->files[i]);
      table.rows.push_back(
          {args->files[i], Number{result.runs_added, Unit::kCount}, Number{result.runs_already_there, Unit::kCount}});
    }
    report.sections.push_back({"imported", "", {}, {std::move(table)}, {}, {}});
    Render(report, args->output, streams);
  };
}

}  // namespace culprit
