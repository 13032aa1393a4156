// SPDX-License-Identifier: Apache-2.0
#include "analysis/cli/given_files.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <optional>

#include "analysis/cli/text_file.h"
#include "analysis/number/plural.h"
#include "bench/foreign/ncu_file.h"
#include "bench/foreign/report.h"
#include "db/error.h"

namespace culprit {
namespace {

// "2026-11-21T00:25:46Z"; now, of what is no file.
std::string ModifiedUtc(const std::string& file) {
  struct stat found {};
  std::time_t at = std::time(nullptr);
  if (::stat(file.c_str(), &found) == 0 && S_ISREG(found.st_mode)) at = found.st_mtime;
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(at));
}

// Names that stand for runs by themselves; see FindBase.
bool IsKeyword(const std::string& word) { return word == "newest" || word.starts_with("branch:"); }

// A pipe is one, too: `--cand <(zcat ...)`.
bool IsFile(const std::string& word) {
  struct stat found {};
  return !word.empty() && !IsKeyword(word) && ::stat(word.c_str(), &found) == 0 &&
         (S_ISREG(found.st_mode) || S_ISFIFO(found.st_mode));
}

// Imports it, and returns the UUID of its only run.
std::string ImportOne(Database& database, const std::string& file) {
  const GivenFile given = ReadGivenFile(file, file);
  Database alone = Database::InMemory();
  alone.Import(given.text, file);
  const std::vector<RunSummary> runs = alone.Runs();
  if (runs.size() != 1)
    throw Error(
        fmt::format("{} has {}, so it does not say which one is meant: import it ('culprit import {}') and name "
                    "a run.",
                    file, Plural(runs.size(), "run"), file));
  database.Import(given.text, file);
  return runs.front().run.uuid;
}

}  // namespace

GivenFile ReadGivenFile(const std::string& file, const std::string& label) {
  const bool is_of_ncu = IsCompressedNcuFile(file) && std::filesystem::is_regular_file(file);
  std::string text = is_of_ncu ? TextOfNcuFile(file) : ReadTextFile(file);
  if (KindOf(text) == ForeignKind::kNone) return {std::move(text), false};
  if (KindOf(text) == ForeignKind::kNcuFile) text = TextOfNcuFile(file);
  const std::filesystem::path path(file);
  return {AsExport(ReadForeign(text, {file, path.parent_path(), ModifiedUtc(file), label})), true};
}

Database OpenWithFiles(const std::string& db, const std::vector<std::string*>& words, std::ostream& err) {
  std::vector<std::string*> files;
  std::ranges::copy_if(words, std::back_inserter(files), [](const std::string* word) { return IsFile(*word); });
  if (files.empty()) return Database::OpenForReading(db);
  const auto given =
      static_cast<std::size_t>(std::ranges::count_if(words, [](const std::string* w) { return !w->empty(); }));
  const bool needs_runs = files.size() < given;
  std::optional<Database> known;
  if (needs_runs || std::filesystem::exists(db)) known = Database::OpenForReading(db);
  std::erase_if(files, [&](const std::string* word) {
    const bool is_run = known && !known->RunsNamed(*word).empty();
    if (is_run)
      err << fmt::format("culprit: {0} is a run of {1} and a file. The run is used; ./{0} names the file.\n", *word,
                         db);
    return is_run;
  });
  if (files.empty()) return std::move(*known);
  Database database = Database::InMemory();
  if (files.size() < given) database.Import(known->Export(), db);
  for (std::string* word : files) *word = ImportOne(database, *word);
  return database;
}

}  // namespace culprit
