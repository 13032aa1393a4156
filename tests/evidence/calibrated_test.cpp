// SPDX-License-Identifier: Apache-2.0
// The errors that ship with the program must be those of its own estimates on the runs in tests/recorded. A change to a
// rule of gains, or to what culprit why attributes, must renew them.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/judge/causes/gain.h"
#include "db/database.h"
#include "tests/evidence/calibrate.h"
#include "tests/support/invented_database.h"
#include "tests/support/recording.h"
#include "tests/support/recordings.h"

namespace culprit {
namespace {

namespace fs = std::filesystem;

// The last digit of the file differs between compilers.
constexpr double kLastDigit = 0.0015;

Calibration OfRecordedRuns(const fs::path& file) {
  Database database = Database::OpenForRecording(file);
  // As script/update-docs does; the planted pairs in the folder below are experiments too.
  for (const char* folder : {"", "planted"}) testing::ImportRecordings(folder, database);
  std::vector<Trial> trials;
  std::string gpu;  // of the newest run, as in culprit_evidence calibrate: runs come newest first
  for (const RunSummary& run : database.Runs()) {
    if (run.state != "complete" || run.launches == 0 || !run.run.device) continue;
    if (gpu.empty()) gpu = run.run.device->name;
    if (run.run.device->name != gpu) continue;
    std::vector<Trial> more = TrialsOf(Recording::LoadBriefly(database, run), database.Stages(run.id));
    trials.insert(trials.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  }
  return Calibrate(std::move(trials));
}

TEST(CalibratedErrors, AreThoseOfTheRecordedRuns) {
  const testing::TemporaryFolder folder;
  const Calibration calibration = OfRecordedRuns(folder / "recorded.db");
  if (calibration.trials.empty()) GTEST_SKIP() << "tests/recorded holds no run that tests an estimate";
  std::vector<CauseError> expected = calibration.causes;
  expected.push_back(calibration.all);
  std::erase_if(expected, [](const CauseError& e) { return e.experiments == 0 && e.alone == 0; });

  constexpr std::string_view remedy = ": build, run script/update-docs and commit calibrated.inc";
  const std::span<const CalibratedError> shipped = CalibratedErrors();
  ASSERT_EQ(shipped.size(), expected.size()) << "causes come or go" << remedy;
  for (std::size_t i = 0; i < shipped.size(); ++i) {
    ASSERT_EQ(shipped[i].cause, expected[i].cause) << remedy;
    EXPECT_EQ(shipped[i].experiments, expected[i].experiments) << shipped[i].cause << remedy;
    EXPECT_EQ(shipped[i].alone, expected[i].alone) << shipped[i].cause << remedy;
    ASSERT_EQ(shipped[i].alone_factor.has_value(), bool(expected[i].alone_factor)) << shipped[i].cause << remedy;
    if (shipped[i].alone_factor) {
      EXPECT_NEAR(*shipped[i].alone_factor, *expected[i].alone_factor, kLastDigit) << shipped[i].cause << remedy;
    }
    if (expected[i].experiments == 0) continue;
    EXPECT_NEAR(shipped[i].median_ratio, *expected[i].median_ratio, kLastDigit) << shipped[i].cause << remedy;
    EXPECT_NEAR(shipped[i].worst_factor, *expected[i].worst_factor, kLastDigit) << shipped[i].cause << remedy;
    ASSERT_EQ(shipped[i].error_factor.has_value(), bool(expected[i].error_factor)) << shipped[i].cause << remedy;
    if (!shipped[i].error_factor) continue;
    EXPECT_NEAR(*shipped[i].error_factor, *expected[i].error_factor, kLastDigit) << shipped[i].cause << remedy;
  }
}

}  // namespace
}  // namespace culprit
