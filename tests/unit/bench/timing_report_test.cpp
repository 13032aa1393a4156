// SPDX-License-Identifier: Apache-2.0
#include "bench/timing_report.h"

#include <gtest/gtest.h>

#include <limits>

namespace culprit {
namespace {

TimingReport AReport() {
  TimingReport report{"sgemm/v1_6/4096", {}, {}, 2, {}};
  report.record.arch = "sm_90";
  report.record.kernel = "v1_6";
  report.record.grid_x = 4294967295u, report.record.grid_y = 2, report.record.grid_z = 3;
  report.record.block_x = 256, report.record.block_y = 1, report.record.block_z = 4;
  report.record.dynamic_shared_bytes = 65536;
  report.record.verify_error_over_bound = 0.1;
  report.record.verify_reference = "cublas";
  report.launched = {{"registers", "runtime", 128.0, ReadingStatus::kOk},
                     {"local_bytes", "runtime", std::nullopt, ReadingStatus::kUnsupported}};
  report.samples = {{0, 1.0 / 3, 1980.1, false, false}, {1, 12345.678, std::nullopt, true, true}};
  return report;
}

TEST(TimingReport, ComesBackAsItWas) {
  const TimingReport was = AReport();
  const auto reports = ParseTimingReports(ToJsonLine(was) + "\n");
  ASSERT_EQ(reports.size(), 1u);
  const TimingReport& is = reports.front();
  EXPECT_EQ(is.name, was.name);
  EXPECT_EQ(is.kernels, 2u);
  EXPECT_EQ(is.record.arch, "sm_90");
  EXPECT_EQ(is.record.kernel, "v1_6");
  EXPECT_EQ(is.record.grid_x, 4294967295u);
  EXPECT_EQ(is.record.grid_z, 3u);
  EXPECT_EQ(is.record.block_x, 256u);
  EXPECT_EQ(is.record.block_z, 4u);
  EXPECT_EQ(is.record.dynamic_shared_bytes, 65536);
  EXPECT_EQ(is.record.state, LaunchState::kOk);
  EXPECT_EQ(is.record.verify_error_over_bound, 0.1);
  EXPECT_EQ(is.record.verify_reference, "cublas");
  ASSERT_EQ(is.launched.size(), 2u);
  EXPECT_EQ(is.launched[0].value, 128);
  EXPECT_EQ(is.launched[1].value, std::nullopt);
  EXPECT_EQ(is.launched[1].status, ReadingStatus::kUnsupported);
  ASSERT_EQ(is.samples.size(), 2u);
  EXPECT_EQ(is.samples[0].time_us, 1.0 / 3) << "bit by bit";
  EXPECT_EQ(is.samples[0].clock_mhz, 1980.1);
  EXPECT_EQ(is.samples[1].repetition, 1);
  EXPECT_EQ(is.samples[1].clock_mhz, std::nullopt);
  EXPECT_TRUE(is.samples[1].low_clock);
  EXPECT_TRUE(is.samples[1].gate_open);
}

TEST(TimingReport, TellsAFailureWithAnErrorThatNoNumberHolds) {
  TimingReport was = AReport();
  was.record.state = LaunchState::kFailed;
  was.record.message = "verification failed: \"c\"\n[0] is \xff";
  was.record.verify_error_over_bound = std::numeric_limits<double>::infinity();
  const std::string line = ToJsonLine(was);
  EXPECT_EQ(line.find('\n'), line.npos);
  const auto reports = ParseTimingReports(line + "\n");
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].record.state, LaunchState::kFailed);
  EXPECT_EQ(reports[0].record.verify_error_over_bound, std::numeric_limits<double>::infinity());
  EXPECT_EQ(reports[0].record.message.substr(0, 24), "verification failed: \"c\"");
}

TEST(TimingReport, OfAProcessThatDiedHoldsWhatItHadSaid) {
  const std::string line = ToJsonLine(AReport()) + "\n";
  EXPECT_EQ(ParseTimingReports("").size(), 0u);
  EXPECT_EQ(ParseTimingReports(line + line.substr(0, line.size() - 1)).size(), 1u) << "the second has no end";
  EXPECT_EQ(ParseTimingReports("{}\n[1\n" + line + "null\n" + line).size(), 2u);
}

}  // namespace
}  // namespace culprit
