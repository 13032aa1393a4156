// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <memory>

#include "analysis/cli/command.h"
#include "analysis/cli/given_files.h"

namespace culprit {
namespace {

struct Arguments : ReportOptions {
  std::vector<std::string> files;
  std::string label;
};

constexpr const char* kNotes =
    "Files are recognised by their content, and may be compressed (.gz, .zst). They\n"
    "are exports of culprit, files with times and counters from\n"
    "  ncu --csv --page raw --print-units base PROGRAM > FILE\n"
    "  ncu -o FILE PROGRAM (FILE.ncu-rep or .ncu-repz, if ncu is on PATH)\n"
    "files with the times of a benchmark from\n"
    "  BENCHMARK --benchmark_out=FILE --benchmark_out_format=json (Google Benchmark)\n"
    "  BENCHMARK --jsonbin FILE (NVBench; with --json FILE only their mean)\n"
    "or traces of a program, with all its kernels, copies and idle times, from\n"
    "  torch.profiler: export_chrome_trace(FILE)\n"
    "  jax.profiler.trace(FOLDER): FOLDER/**/*.trace.json.gz\n"
    "  nsys export --type sqlite REPORT.nsys-rep\n"
    "All files are imported, or none. Runs that the database already has are not\n"
    "added again.";

}  // namespace

Action AddImport(Syntax& syntax) {
  auto args = std::make_shared<Arguments>();
  syntax.Add("FILE", &args->files, "written by culprit export, or by another tool (see below)",
             {.value = "FILE", .required = true});
  AddDatabaseOption(syntax, args->db);
  syntax.Add("--label", &args->label,
             "label of runs that are imported from reports of other tools (default: the file's name)",
             {.value = "TEXT", .not_empty = true});
  AddOutputOptions(syntax, args->output);
  syntax.notes = kNotes;
  return [args](Streams& streams) {
    std::vector<Database::ImportSource> sources;
    const std::unique_ptr<bool[]> foreign(new bool[args->files.size()]());
    for (std::size_t i = 0; i < args->files.size(); ++i)
      sources.push_back({args->files[i], [&, i] {
                           const std::string& file = args->files[i];
                           GivenFile given =
                               ReadGivenFile(file, args->label.empty() ? std::filesystem::path(file).filename().string()
                                                                       : args->label);
                           foreign[i] = given.is_foreign;
                           return std::move(given.text);
                         }});
    auto results = Database::ImportInto(args->db, sources);
    for (std::size_t i = 0; i < results.size(); ++i) {
      for (const std::string& uuid : results[i].kept_apart)
        streams.err << "culprit: run " << uuid.substr(0, 8) << " of " << args->files[i] << " is already in " << args->db
                    << (foreign[i] ? ", with another label or time, which was kept.\n"
                                   : " with other content, which was kept; import into another file to have both.\n");
      // Its UUID is that of its content.
      if (foreign[i]) results[i].kept_apart.clear();
    }
    Report report{"import", "Import into " + args->db};
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
