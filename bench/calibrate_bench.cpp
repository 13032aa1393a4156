// SPDX-License-Identifier: Apache-2.0
// How long `culprit calibrate` takes from arguments to text on a database of 120 runs: copies of the recorded run
// with all that it holds. Usage: calibrate_bench, in a checkout; the database, of 350 MB, lives under $TMPDIR while it
// runs, and takes a minute to make.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include "analysis/cli/culprit.h"
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

// The database, gone when the process ends.
class ManyRuns {
 public:
  ManyRuns() : folder_(fs::temp_directory_path() / fmt::format("culprit_calibrate_bench_{}", getpid())) {
    fs::create_directories(folder_);
    Database db = Database::OpenForRecording(File());
    std::string text = Recorded();
    db.Import(text, "recorded");
    std::string uuid = db.FindRun({}).run.uuid;
    for (int n = 1; n < kRuns; ++n) {
      const std::string copy = fmt::format("{:08x}-0000-4000-8000-000000000000", n);
      for (std::size_t at = 0; (at = text.find(uuid, at)) != text.npos; at += copy.size())
        text.replace(at, copy.size(), copy);
      uuid = copy;
      db.Import(text, "copy");
    }
  }
  ~ManyRuns() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  ManyRuns(const ManyRuns&) = delete;
  ManyRuns& operator=(const ManyRuns&) = delete;

  fs::path File() const { return folder_ / "m.db"; }
  static const ManyRuns& Get() {
    static const ManyRuns database;
    return database;
  }

 private:
  fs::path folder_;
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
