// SPDX-License-Identifier: Apache-2.0
// How long `culprit calibrate` takes from arguments to text on a database of 120 runs: copies of the recorded run
// with all that it holds. Usage: calibrate_bench, in a checkout; the database, of 420 MB, lives under $TMPDIR while it
// runs.
#include <SQLiteCpp/SQLiteCpp.h>
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "analysis/cli/culprit.h"
#include "bench/scratch_folder.h"
#include "db/database.h"

namespace culprit {
namespace {

namespace fs = std::filesystem;

constexpr int kRuns = 120;

// The text of the recording, which import knows by the UUID of its run.
std::string Recorded() {
  for (const auto& entry : fs::directory_iterator(fs::path(CULPRIT_SOURCE_DIR) / "db/recorded"))
    if (entry.path().extension() == ".sql") {
      std::ifstream in(entry.path());
      return {std::istreambuf_iterator<char>(in), {}};
    }
  return {};
}

std::vector<std::string> TextsOf(SQLite::Database& db, const std::string& sql) {
  std::vector<std::string> texts;
  for (SQLite::Statement row(db, sql); row.executeStep();) texts.push_back(row.getColumn(0).getString());
  return texts;
}

// Copies the only run of `one` into `many`, which is a copy of that file. The tables whose rows belong to a run are
// those that refer to it, and those that refer to these. In a copy their ids, and the columns that refer to these, are
// larger by a multiple of the largest.
void CopyRuns(const fs::path& one, const fs::path& many) {
  SQLite::Database db(many.string(), SQLite::OPEN_READWRITE);
  SQLite::Statement attach(db, "ATTACH ? AS one");
  attach.bind(1, one.string());
  attach.exec();
  // Nobody needs the file of a benchmark that was interrupted, and what is copied was checked when it was imported.
  for (const char* pragma : {"journal_mode = OFF", "synchronous = OFF", "foreign_keys = OFF",
                             "ignore_check_constraints = ON", "cache_size = -100000"})
    TextsOf(db, fmt::format("PRAGMA {}", pragma));
  std::set<std::string> owned = {"run"};
  std::vector<std::string> copies;
  std::int64_t largest = 0;
  for (const std::string& table :
       TextsOf(db, "SELECT name FROM one.sqlite_schema WHERE type = 'table' ORDER BY rowid")) {
    std::set<std::string> shifted;
    for (SQLite::Statement key(db, fmt::format("SELECT \"from\", \"table\" FROM pragma_foreign_key_list('{}')", table));
         key.executeStep();)
      if (owned.contains(key.getColumn(1).getString())) shifted.insert(key.getColumn(0).getString());
    if (shifted.empty() && table != "run") continue;
    owned.insert(table);
    std::vector<std::string> columns, values;
    for (const std::string& column : TextsOf(db, fmt::format("SELECT name FROM pragma_table_info('{}')", table))) {
      columns.push_back(fmt::format("\"{}\"", column));
      const bool is_id = column == "id";
      if (is_id)
        largest =
            std::max(largest, db.execAndGet(fmt::format("SELECT ifnull(max(id), 0) FROM one.{}", table)).getInt64());
      values.push_back(is_id || shifted.contains(column) ? columns.back() + " + n * :stride"
                       : column == "uuid"                ? "printf('%08x-0000-4000-8000-000000000000', n)"
                                                         : columns.back());
    }
    copies.push_back(
        fmt::format("WITH RECURSIVE copy(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copy WHERE n < :copies) "
                    "INSERT INTO main.{0} ({1}) SELECT {2} FROM copy CROSS JOIN one.{0}",
                    table, fmt::join(columns, ", "), fmt::join(values, ", ")));
  }
  SQLite::Transaction transaction(db);
  for (const std::string& sql : copies) {
    SQLite::Statement copy(db, sql);
    copy.bind(":copies", kRuns - 1);
    copy.bind(":stride", largest);
    copy.exec();
  }
  transaction.commit();
}

// The database, gone when the process ends.
class ManyRuns {
 public:
  ManyRuns() {
    const fs::path one = folder_ / "one.db";
    Database::OpenForRecording(one).Import(Recorded(), "recorded");
    fs::copy_file(one, File());
    CopyRuns(one, File());
  }

  fs::path File() const { return folder_ / "m.db"; }
  static const ManyRuns& Get() {
    static const ManyRuns database;
    return database;
  }

 private:
  ScratchFolder folder_;
};

void Calibrate(benchmark::State& state) {
  const std::string file = ManyRuns::Get().File().string();
  for (auto _ : state) {
    std::ostringstream out, err;
    if (Main({"calibrate", "--db", file}, out, err, false) != 0) state.SkipWithError(err.str().c_str());
    benchmark::DoNotOptimize(out);
  }
  state.counters["us_per_run"] =
      benchmark::Counter(kRuns * 1e-6, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(Calibrate)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(1);

}  // namespace
}  // namespace culprit
