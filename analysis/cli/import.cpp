// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "analysis/cli/command.h"
#include "analysis/cli/text_file.h"

namespace culprit {
namespace {

struct Arguments {
  DatabaseOption db;
  OutputOptions output;
  std::vector<std::string> files;
};

}  // namespace

Action AddImport(Syntax& syntax) {
  auto args = std::make_shared<Arguments>();
  syntax.Add("FILE", &args->files, "SQL text written by culprit export", {.value = "FILE", .required = true});
  AddDatabaseOption(syntax, args->db);
  AddOutputOptions(syntax, args->output);
  return [args](Streams& streams) {
    std::vector<Database::ImportSource> sources;
    for (const std::string& file : args->files) sources.push_back({file, [file] { return ReadTextFile(file); }});
    const auto results = Database::ImportInto(args->db.File(), sources);
    for (std::size_t i = 0; i < results.size(); ++i)
      for (const std::string& uuid : results[i].kept_apart)
        streams.err << "culprit: run " << uuid.substr(0, 8) << " of " << args->files[i] << " is already in "
                    << args->db.File()
                    << " with other content, which was kept; import into another file to have both.\n";
    Report report{"import", "Import into " + args->db.File()};
    ReportTable table{"files",
                      "",
                      {{"file", "File"},
                       {"runs_added", "Runs added"},
                       {"runs_already_there", "Already there"},
                       {"runs_kept_apart", "Of other content"}}};
    for (std::size_t i = 0; i < results.size(); ++i)
      table.rows.push_back({args->files[i], Number{results[i].runs_added, Unit::kCount},
                            Number{results[i].runs_already_there, Unit::kCount},
                            Number{static_cast<double>(results[i].kept_apart.size()), Unit::kCount}});
    report.sections.push_back({"imported", "", {}, {std::move(table)}, {}, {}});
    Render(report, args->output, streams);
  };
}

}  // namespace culprit
