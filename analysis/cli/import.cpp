// SPDX-License-Identifier: Apache-2.0
#include <fmt/chrono.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <memory>

#include "analysis/cli/command.h"
#include "analysis/cli/text_file.h"
#include "bench/foreign/report.h"

namespace culprit {
namespace {

struct Arguments : ReportOptions {
  std::vector<std::string> files;
  std::string label;
};

constexpr const char* kNotes =
    "Files are recognised by their content. They are exports of culprit, files\n"
    "with times and counters from\n"
    "  ncu --csv --page raw --print-units base PROGRAM > FILE\n"
    "  ncu --import FILE.ncu-rep --csv --page raw --print-units base > FILE\n"
    "or files with times from\n"
    "  BENCHMARK --benchmark_out=FILE --benchmark_out_format=json (Google Benchmark)\n"
    "  BENCHMARK --jsonbin FILE (NVBench; with --json FILE only their mean)\n"
    "All files are imported, or none. Runs that the database already has are not\n"
    "added again.";

// "2026-11-21T00:25:46Z"; now, of what is no file.
std::string ModifiedUtc(const std::string& file) {
  struct stat found {};
  std::time_t at = std::time(nullptr);
  if (::stat(file.c_str(), &found) == 0 && S_ISREG(found.st_mode)) at = found.st_mtime;
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(at));
}

// What Database::Import takes. `foreign` becomes whether another tool wrote the file.
std::string ReadAsExport(const std::string& file, const std::string& label, bool& foreign) {
  std::string text = ReadTextFile(file);
  foreign = KindOf(text) != ForeignKind::kNone;
  if (!foreign) return text;
  const std::filesystem::path path(file);
  return AsExport(ReadForeign(
      text, {file, path.parent_path(), ModifiedUtc(file), label.empty() ? path.filename().string() : label}));
}

}  // namespace

Action AddImport(Syntax& syntax) {
  auto args = std::make_shared<Arguments>();
  syntax.Add("FILE", &args->files, "written by culprit export, or a report of ncu, Google Benchmark or NVBench",
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
      sources.push_back({args->files[i], [&, i] { return ReadAsExport(args->files[i], args->label, foreign[i]); }});
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
