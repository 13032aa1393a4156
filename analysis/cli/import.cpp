// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>
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

std::vector<Database::ImportResult> ImportAll(const std::vector<std::string>& texts,
                                              const std::vector<std::string>& names, const std::string& file) {
  std::error_code ignored;
  const bool is_new = !std::filesystem::exists(file, ignored);
  bool nothing_stored = false;
  std::vector<Database::ImportResult> results;
  try {
    Database database = Database::OpenForRecording(file);
    nothing_stored = is_new;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      results.push_back(database.Import(texts[i], names[i]));
      nothing_stored = is_new && database.Runs().empty();
    }
  } catch (const Error&) {
    // The database is closed by now. An empty one would be in the way of the next command's "there is no such file".
    if (nothing_stored) std::filesystem::remove(file, ignored);
    throw;
  }
  return results;
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
    const auto results = ImportAll(texts, args->files, args->db.File());
    Report report{"import", "Import into " + args->db.File(), {}, {}, {}, {}, {}};
    ReportTable table{
        "files", "", {{"file", "File"}, {"runs_added", "Runs added"}, {"runs_already_there", "Already there"}}, {}, {}};
    for (std::size_t i = 0; i < results.size(); ++i)
      table.rows.push_back({args->files[i], Number{results[i].runs_added, Unit::kCount},
                            Number{results[i].runs_already_there, Unit::kCount}});
    report.sections.push_back({"imported", "", {}, {std::move(table)}, {}, {}});
    Render(report, args->output, streams);
  };
}

}  // namespace culprit
